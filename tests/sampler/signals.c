// Sends itself a signal TIMES times while eight threads allocate.
// usage: signals SIGNAL TIMES
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int going = 1;

static void *allocate(void *unused) {
    (void)unused;
    void *kept[64] = {NULL};
    for (unsigned i = 0; going; i++) {
        free(kept[i % 64]);
        kept[i % 64] = malloc(16 + i % 2000);
    }
    for (int i = 0; i < 64; i++) {
        free(kept[i]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) {
        pthread_create(&threads[i], NULL, allocate, NULL);
    }
    for (long i = 0; argc > 2 && i < atol(argv[2]); i++) {
        kill(getpid(), atoi(argv[1]));
        pthread_kill(threads[i % 8], atoi(argv[1]));
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    going = 0;
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
    puts("done");
    return 0;
}
