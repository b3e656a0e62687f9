// A small shop.  Its cache fills up, its pages are freed, and its sessions leak.
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct session {
    struct session *next;
    char data[1000];
};

static struct session *sessions;
static char *cache[4000];
static char *volatile page; // volatile: the compiler keeps the allocation

NOINLINE static void cache_put(int key, size_t size) {
    free(cache[key]);
    cache[key] = malloc(size);
    memset(cache[key], 1, size);
}

NOINLINE static void session_open(void) {
    struct session *session = calloc(1, sizeof *session);
    session->next = sessions; // nothing ever takes it off the list
    sessions = session;
}

NOINLINE static void render_page(void) {
    page = calloc(1, 20000);
    free(page);
}

NOINLINE static void handle_request(int number) {
    cache_put(number % 4000, 2000 + (size_t)number % 3000);
    if (number % 5 == 0) {
        session_open();
    }
    render_page();
}

int main(void) {
    for (int number = 0; number < 40000; number++) {
        handle_request(number);
    }
    return 0;
}
