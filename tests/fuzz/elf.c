// Fuzz target of the symbolizer's child process.  The input is an ELF file, which is read
// as a module by the function that serves the parent in the child.  It is asked for
// addresses in each segment that the file marks as code, and must give an answer that the
// parent accepts, whatever the file contains.  The same file serves as its shared debug
// information; no other file is found.  The file's code, which shows where calls return
// to, is requested as well.
#include "sym/worker.h"

#include "sym/file_code.h"
#include "sym/image.h"
#include "sym/protocol.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    ASKED = 48, // addresses of each segment
    MOST_LOADS = 8,
    PAGE = 4096,
};

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

static int file_of(const uint8_t *bytes, size_t size) {
    int fd = memfd_create("fuzz-elf", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    return fd;
}

static int compare(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// Add the extent of a segment, in whole pages, and addresses all over it to the request.
static void ask_of(struct hp_request *request, const struct hp_load *load) {
    bool is_offset = request->kind == HP_ADDRESS_OFFSET;
    uint64_t begin = is_offset ? load->offset : load->vaddr;
    uint64_t start = begin & ~(uint64_t)(PAGE - 1);
    uint64_t end = (begin + load->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (start < end) {
        hp_vec_push(&request->extents,
                    ((struct hp_extent){start, end - start, load->offset, false}));
        for (uint64_t i = 0; i < ASKED; i++) {
            hp_vec_push(&request->addresses, begin + load->size / ASKED * i + i % 4);
        }
    }
}

// Make the request that a dump would cause which was made with this file.
static void make_request(struct hp_request *request, int file) {
    struct hp_image image;
    struct hp_sym_diagnostic diagnostic;
    request->build_id = (struct hp_span){"", 0};
    request->kind = lseek(file, 0, SEEK_END) % 2 ? HP_ADDRESS_OFFSET : HP_ADDRESS_VIRTUAL;
    if (!hp_image_open(&image, dup(file), hp_span_of("module"), &diagnostic)) {
        return;
    }
    for (size_t i = 0; i < image.loads.count && i < MOST_LOADS; i++) {
        if (image.loads.at[i].exec) {
            ask_of(request, &image.loads.at[i]);
        }
    }
    hp_vec_sort(&request->addresses, compare);
    hp_image_done(&image);
}

// The parent's side: its socket, its request, and the descriptor of the input.
struct parent {
    struct hp_wire wire;
    const struct hp_request *request;
    int file;
};

static void answer_question(const struct parent *parent, const struct hp_packet *body,
                            struct hp_packet *packet) {
    struct hp_wanted wanted;
    require(hp_wanted_unpack(body, &wanted));
    bool is_there =
        wanted.n == 0 && (wanted.find == HP_FIND_MODULE || wanted.find == HP_FIND_ALT);
    hp_text_pack(packet, hp_span_of(is_there ? "module" : "it is not there"));
    require(hp_wire_send(&parent->wire, is_there ? HP_SAY_FILE : HP_SAY_NONE, packet,
                         is_there ? parent->file : -1));
}

// Act as the parent: send the request and serve the child's questions until it answers.
static void *serve_child(void *context) {
    const struct parent *parent = context;
    struct hp_packet packet = {0};
    struct hp_message message = {0};
    struct hp_answer answer = {0};
    hp_request_pack(&packet, parent->request);
    require(hp_wire_send(&parent->wire, HP_SAY_MODULE, &packet, -1));
    do {
        require(hp_wire_receive(&parent->wire, &message));
        if (message.kind == HP_SAY_FIND) {
            answer_question(parent, &message.body, &packet);
        }
    } while (message.kind != HP_SAY_ANSWER);
    require(hp_answer_unpack(&message.body, parent->request->addresses.count, &answer));
    shutdown(parent->wire.sock, SHUT_RDWR);
    hp_answer_done(&answer);
    hp_packet_done(&message.body);
    hp_packet_done(&packet);
    return NULL;
}

// Ask for the code of the file, and check that the answer can be unpacked.
static void try_code(int file) {
    struct hp_packet asked = {0}, answer = {0};
    struct hp_file_code code;
    struct hp_sym_diagnostic why;
    hp_file_code_ask(&asked, hp_span_of("module"), HP_CODE_TEXT);
    hp_file_code_answer(&asked, dup(file), &answer);
    require(hp_file_code_unpack(&answer, &code, &why));
    hp_file_code_done(&code);
    hp_packet_done(&asked);
    hp_packet_done(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    int pair[2];
    pthread_t thread;
    struct hp_request request = {0};
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    struct parent parent = {{.sock = pair[0], .limit = HP_ANSWER_LIMIT},
                            &request,
                            file_of(bytes, size)};
    make_request(&request, parent.file);
    require(pthread_create(&thread, NULL, serve_child, &parent) == 0);
    hp_worker_serve(pair[1]);
    pthread_join(thread, NULL);
    hp_request_done(&request);
    try_code(parent.file);
    close(parent.file);
    close(pair[0]);
    close(pair[1]);
    return 0;
}
