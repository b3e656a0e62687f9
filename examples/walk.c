// Prints every stack of all dumps together: its bytes in use, then its calls, leaf first, each with
// function, file, line, module and the offset in it.  C and C++:
//
//     cc walk.c $(pkg-config --cflags --libs hprof-agg) -o walk && ./walk app.*.heap
#include <hprof-agg/hprof-agg.h>
#include <stdio.h>
#include <string.h>

// Texts come from the dumps: what is in them must not steer a terminal.
static void print(const char *text) {
    char safe[256];
    size_t left = strlen(text), length;
    while (left > 0) {
        size_t taken = hp_escape(text, left, safe, sizeof safe, &length);
        fwrite(safe, 1, length, stdout);
        text += taken;
        left -= taken;
    }
}

static void print_stack(const struct hp_view *view, size_t stack) {
    const uint32_t *frames;
    size_t count = hp_view_stack(view, stack, &frames);
    printf("%.9g\n", hp_view_stack_estimate(view, stack, HP_INUSE_SPACE).value);
    for (size_t i = 0; i < count; i++) {
        const struct hp_frame_info *frame = hp_view_frame(view, frames[i]);
        printf("\t");
        print(frame->function);
        printf("\t");
        print(frame->file);
        printf("\t%u\t", frame->line);
        print(frame->module);
        printf("\t%#llx\n", (unsigned long long)frame->address);
    }
}

int main(int argc, char **argv) {
    static struct hp_report_options merge; // all zero: the defaults
    struct hp_err err = {HP_E_USAGE, 0, 0, "", "there are no dumps"};
    struct hp_profile *profile = hp_profile_new();
    struct hp_view *view = NULL;
    size_t count = argc > 1 ? (size_t)argc - 1 : 0;
    const char *const *paths = (const char *const *)argv + 1;
    merge.kind = HP_REPORT_MERGE;
    if (count > 0 && hp_profile_read(profile, paths, count, NULL, &err) == HP_OK) {
        hp_profile_symbolize(profile, NULL);
        view = hp_view_new(profile, &merge, &err);
    }
    for (size_t i = 0; view && i < hp_view_stack_count(view); i++) {
        print_stack(view, i);
    }
    int status = view ? 0 : 1;
    if (!view) {
        fprintf(stderr, "walk: %s\n", err.message);
    }
    hp_view_free(view);
    hp_profile_free(profile);
    return status;
}
