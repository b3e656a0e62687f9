#include "cli/jeprof/jeprof.h"
#include "cli/message.h"
#include "cli/outfile.h"

#include <stdlib.h>

// Print a report to `out`.  HP_E_EMPTY if a graph has no nodes.
static int print(struct hp_jeprof_session *session, FILE *out, enum hp_jeprof_option mode,
                 struct hp_err *err) {
    const struct hp_jeprof_options *options = session->options;
    const char *picture = mode == HP_JEPROF_SVG   ? "svg"
                          : mode == HP_JEPROF_PDF ? "pdf"
                          : mode == HP_JEPROF_PS  ? "ps"
                                                  : NULL;
    if (picture != NULL) {
        return hp_jeprof_draw(out, &session->stacks, session->title, picture, err);
    }
    if (mode == HP_JEPROF_DOT) {
        bool has_nodes = hp_jeprof_write_dot(out, &session->stacks, session->title);
        return has_nodes ? HP_OK : HP_E_EMPTY;
    }
    if (mode == HP_JEPROF_COLLAPSED) {
        hp_jeprof_write_collapsed(out, &session->stacks);
    } else if (mode == HP_JEPROF_CALLGRIND) {
        hp_jeprof_write_callgrind(out, &session->stacks);
    } else {
        hp_jeprof_write_total(out, &session->stacks, options->text[HP_JEPROF_THREAD]);
        hp_jeprof_write_text(out, &session->stacks, 0);
    }
    return HP_OK;
}

// Write bytes to a file, which is complete or not there, or to standard output if `path`
// is NULL.
static int write_bytes(const char *path, const char *bytes, size_t size,
                       struct hp_err *err) {
    struct hp_cli_outfile out = {.fd = -1};
    int ret = hp_cli_outfile_open(&out, path, err);
    if (ret == HP_OK) {
        ret = hp_cli_outfile_write(&out, bytes, size) == 0
                  ? hp_cli_outfile_commit(&out, err)
                  : hp_cli_outfile_failed(&out, err);
    }
    hp_cli_outfile_discard(&out);
    return ret;
}

int hp_jeprof_report(struct hp_jeprof_session *session, const char *path,
                     enum hp_jeprof_option mode, struct hp_err *err) {
    char *bytes = NULL;
    size_t size;
    FILE *out = open_memstream(&bytes, &size);
    if (out == NULL) {
        hp_cli_out_of_memory(0, NULL);
    }
    int ret = print(session, out, mode, err);
    if (fclose(out) != 0) {
        hp_cli_out_of_memory(0, NULL);
    }
    if (ret == HP_OK) {
        ret = write_bytes(path, bytes, size, err);
    } else if (ret == HP_E_EMPTY) {
        fputs("No nodes to print\n", stderr);
    }
    free(bytes);
    return ret;
}

int hp_jeprof_library_report(const struct hp_jeprof_session *session, const char *pattern,
                             const char *ignore, enum hp_report_kind kind,
                             struct hp_err *err) {
    const struct hp_cli_settings *settings = &session->options->settings;
    struct hp_filter filters[] = {{HP_PICK, pattern}, {HP_IGNORE, ignore}};
    struct hp_report_options options = {
        .kind = kind,
        .format = "text",
        .metric = session->options->metric,
        .frames.fold = HP_FRAMES_RAW,
        .filters = filters,
        .filter_count = ignore != NULL ? 2 : 1,
        .sources.dirs = settings->source_dirs.items,
        .sources.count = settings->source_dirs.count,
        .limit = hp_format_limit("text"),
    };
    struct hp_cli_outfile out = {.fd = -1};
    struct hp_view *view = hp_view_new(session->profile, &options, err);
    int ret = view != NULL ? hp_cli_outfile_open(&out, NULL, err) : (int)err->code;
    if (ret == HP_OK) {
        ret = hp_view_write(view, hp_cli_outfile_write, &out, err);
        ret = out.sys != 0   ? hp_cli_outfile_failed(&out, err)
              : ret == HP_OK ? hp_cli_outfile_commit(&out, err)
                             : ret;
    }
    hp_cli_outfile_discard(&out);
    hp_view_free(view);
    return ret;
}
