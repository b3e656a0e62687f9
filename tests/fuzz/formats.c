// Checks that for each format of src/input there is a file among those named that both
// the fast and the slow reader can read, with the same result.
//
// usage: formats FILE-OR-FOLDER...
#include "differential.h"
#include "files.h"

#include <stdio.h>

static struct files files;

static bool has_file_of(const struct hp_input_format *format) {
    for (size_t i = 0; i < files.count; i++) {
        const struct file *file = &files.at[i];
        struct hp_span text = {(const char *)file->bytes, file->size};
        if (hp_input_format_of(text) == format &&
            differential_check(file->bytes, file->size, 0, false)->ret == HP_OK) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv) {
    int missing = 0;
    for (int i = 1; i < argc; i++) {
        files_add(&files, argv[i]);
    }
    for (size_t i = 0; hp_input_formats[i]; i++) {
        if (!has_file_of(hp_input_formats[i])) {
            fprintf(
                stderr,
                "%s has no file here: add one to seeds/, and to reference/ what reads it\n",
                hp_input_formats[i]->name);
            missing++;
        }
    }
    files_done(&files);
    return missing > 0;
}
