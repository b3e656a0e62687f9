#include "sym/worker.h"

#include "sym/call_pairs.h"
#include "sym/child.h"
#include "sym/demangle.h"
#include "sym/dwarf.h"
#include "sym/file_code.h"
#include "sym/function_bounds.h"
#include "sym/function_code.h"
#include "sym/image.h"
#include "sym/minidebug.h"
#include "sym/return_addresses.h"
#include "sym/sandbox.h"
#include "sym/unpack.h"
#include "sym/verify.h"

#include <string.h>
#include <unistd.h>

enum {
    MOST_CANDIDATES = 64, // files of one kind (enum hp_find) that are tried
    MOST_WANTED = 3,      // the highest value of rank_of()
};

// The files with the debug information of an image.
struct debug {
    struct hp_image separate; // an opened debug file, or {0}
    // The file with the DWARF: the module's own or `separate`; or NULL.
    struct hp_image *image;
    // Debug information that several debug files share (dwz), or {0}.
    struct hp_image alt_image;
    Dwarf *alt;     // the DWARF of `alt_image`, or NULL
    uint64_t shift; // address in the debug file minus address in the program
    // Reason for the lack of DWARF; text "" if the file promises none.
    struct hp_sym_diagnostic diagnostic;
    bool is_unread; // there is DWARF, but it cannot be read
};

// All that is open or found while the request for one module is served.
struct work {
    struct hp_request request; // from the parent
    struct hp_image image;     // the file whose names are used
    struct debug debug;
    struct hp_minidebug mini;            // symbols inside `image`, or {0}
    struct hp_lookup lookup;             // addresses asked for, and what is found
    struct hp_answer answer;             // answer to the parent
    struct hp_sym_diagnostic diagnostic; // reason why no candidate is used
    struct hp_sym_diagnostic refused;    // note on the calls that the sandbox refused
};

static void debug_done(struct debug *debug) {
    dwarf_end(debug->alt);
    hp_image_done(&debug->alt_image);
    hp_image_done(&debug->separate);
}

static void work_done(struct work *work) {
    debug_done(&work->debug);
    hp_minidebug_done(&work->mini);
    hp_image_done(&work->image);
    hp_request_done(&work->request);
    hp_answer_done(&work->answer);
    hp_symtab_done(&work->lookup.symtab);
    hp_strtab_done(&work->lookup.strings);
    hp_strtab_done(&work->lookup.sources);
    hp_vec_done(&work->lookup.lines);
    hp_vec_done(&work->lookup.queries);
}

// --- finding files ---------------------------------------------------------------------

// How informative a reason is; of several reasons the one with the highest weight is
// reported.
static int weight(enum hp_sym_status status) {
    return status == HP_SYM_OTHER_BUILD ? 3 : status == HP_SYM_NO_FILE ? 1 : 2;
}

// A file that may be the module's.
struct module_candidate {
    struct hp_span text; // its path, or the reason why there are no more
    bool exists;
    struct hp_sym_diagnostic diagnostic; // reason why it is not used, if it exists
};

// Open the n-th candidate as work->image.  False, with the image {0}, unless the file
// exists and is verified or proven.
static bool open_candidate(struct work *work, struct hp_file_requester *requester,
                           uint32_t n, struct module_candidate *candidate) {
    struct hp_wanted wanted = {HP_FIND_MODULE, n, {"", 0}};
    int fd = hp_file_request(requester, &wanted, &candidate->text);
    candidate->exists = fd >= 0;
    if (fd >= 0 &&
        hp_image_open(&work->image, fd, candidate->text, &candidate->diagnostic) &&
        (work->request.is_proven ||
         hp_verify(&work->image, &work->request, &candidate->diagnostic))) {
        return true;
    }
    hp_image_done(&work->image);
    return false;
}

// Whether the code of an image is probably the code that ran.  Only a guess, because the
// parent alone knows which frames a signal interrupted.  Always true if a build id or a
// prover has identified the file.
static bool has_likely_code(const struct work *work) {
    struct hp_return_check returns = {.checked = 0};
    struct hp_code_window window = {.size = 0};
    const uint64_t *address;
    if (work->request.build_id.size > 0 || work->request.is_proven) {
        return true;
    }
    hp_vec_each (address, &work->request.addresses) {
        enum hp_return is =
            hp_calls_return_at(&work->image, &window, work->request.kind, *address + 1);
        returns.checked += is == HP_RETURN_OF_CALL || is == HP_RETURN_OF_NONE;
        returns.failed += is == HP_RETURN_OF_NONE;
    }
    return hp_returns_judge(&returns, false) != HP_BUILD_OTHER;
}

// The rank of a verified file: highest with code that probably ran, then a file without
// code, lowest with code that did not run.
static int rank_of(const struct work *work) {
    return work->image.lacks_code ? 2 : has_likely_code(work) ? MOST_WANTED : 1;
}

// Open the first of the verified candidates with the highest rank as work->image.  False,
// with work->diagnostic, if none is verified.
static bool find_image(struct work *work, struct hp_file_requester *requester) {
    struct module_candidate candidate = {.exists = true};
    uint32_t first = MOST_CANDIDATES;
    int highest = 0;
    work->diagnostic.status = HP_SYM_NO_FILE;
    for (uint32_t n = 0; candidate.exists && n < MOST_CANDIDATES; n++) {
        if (open_candidate(work, requester, n, &candidate)) {
            int rank = rank_of(work);
            if (rank == MOST_WANTED) {
                return true;
            }
            hp_image_done(&work->image);
            first = rank > highest ? n : first;
            highest = rank > highest ? rank : highest;
        } else if (candidate.exists && weight(candidate.diagnostic.status) >
                                           weight(work->diagnostic.status)) {
            work->diagnostic = candidate.diagnostic;
        }
    }
    if (first < MOST_CANDIDATES) {
        return open_candidate(work, requester, first, &candidate);
    }
    if (!work->diagnostic.text[0]) {
        hp_sym_diagnose(&work->diagnostic, HP_SYM_NO_FILE, "%.*s",
                        (int)candidate.text.size, candidate.text.at);
    }
    return false;
}

// The identity that a debug file must have: a build id, or else a CRC.
struct proof {
    const char *build_id; // lower-case hex, or ""
    bool has_crc;         // `crc` is known and may be used
    uint32_t crc;
    bool needs_no_dwarf; // a symbol table is enough
};

// Whether an image has the identity that `proof` describes.  A build id outweighs the
// CRC; without one on either side the CRC decides.
static bool proves(const struct proof *proof, const struct hp_image *image) {
    if (proof->build_id[0] && (image->build_id[0] || !proof->has_crc)) {
        return strcmp(proof->build_id, image->build_id) == 0;
    }
    return proof->has_crc && hp_image_crc(image) == proof->crc;
}

// Ask the parent for files until one has the identity and the wanted content: debug
// information, or at least a symbol table.  True if `image` is open.
static bool find_proved(struct hp_image *image, struct hp_wanted wanted,
                        const struct proof *proof, struct hp_file_requester *requester) {
    for (; wanted.n < MOST_CANDIDATES; wanted.n++) {
        struct hp_sym_diagnostic diagnostic;
        struct hp_span text;
        int fd = hp_file_request(requester, &wanted, &text);
        if (fd < 0) {
            return false;
        }
        if (hp_image_open(image, fd, text, &diagnostic) &&
            (proof->needs_no_dwarf ? hp_image_has_section(image, ".symtab")
                                   : hp_image_has_dwarf(image)) &&
            proves(proof, image)) {
            return true;
        }
        hp_image_done(image);
    }
    return false;
}

// Find the debug file with that identity, first by build id, then by `name` from a debug
// link unless that is NULL.
static bool find_by_either(struct hp_image *separate, const char *name,
                           struct proof *proof, struct hp_file_requester *requester) {
    struct hp_wanted by_id = {HP_FIND_BUILD_ID, 0, hp_span_of(proof->build_id)};
    struct hp_wanted by_link = {HP_FIND_LINK, 0, hp_span_of(name ? name : "")};
    proof->has_crc = false;
    if (proof->build_id[0] && find_proved(separate, by_id, proof, requester)) {
        return true;
    }
    proof->has_crc = true;
    return name && find_proved(separate, by_link, proof, requester);
}

// Find the separate debug file of an image: one with DWARF, or else one with a symbol
// table that the image lacks.  False, with a reason if a debug link promises a file.
static bool find_separate(struct debug *debug, const struct hp_image *image,
                          struct hp_file_requester *requester) {
    struct proof proof = {.build_id = image->build_id};
    const char *name = hp_image_debuglink(image, &proof.crc);
    if (find_by_either(&debug->separate, name, &proof, requester)) {
        return true;
    }
    proof.needs_no_dwarf = true;
    if (!hp_image_has_section(image, ".symtab") &&
        find_by_either(&debug->separate, name, &proof, requester)) {
        return true;
    }
    return name && hp_sym_diagnose(&debug->diagnostic, HP_SYM_STRIPPED,
                                   HP_MESSAGE("debug-link-not-found",
                                              "%s: no debug file %s that fits"),
                                   image->path, name);
}

// Find the shared debug file (dwz) that an image refers to.  True if it refers to none;
// false, with a reason, if the file is missing or cannot be read.
static bool find_alt(struct debug *debug, const struct hp_image *image,
                     struct hp_file_requester *requester) {
    char build_id[2 * HP_BUILD_ID_SIZE + 1];
    const char *name = hp_image_altlink(image, build_id);
    if (!name) {
        return true;
    }
    struct proof proof = {.build_id = build_id};
    struct hp_wanted by_id = {HP_FIND_BUILD_ID, 0, hp_span_of(build_id)};
    struct hp_wanted by_name = {HP_FIND_ALT, 0, hp_span_of(name)};
    struct hp_image *alt = &debug->alt_image;
    bool is_found = find_proved(alt, by_name, &proof, requester) ||
                    find_proved(alt, by_id, &proof, requester);
    if (is_found && !hp_image_unpack(alt, &debug->diagnostic)) {
        return false;
    }
    debug->alt =
        is_found ? dwarf_begin_elf(hp_image_debug(alt), DWARF_C_READ, NULL) : NULL;
    return debug->alt ||
           hp_sym_diagnose(&debug->diagnostic, HP_SYM_STRIPPED,
                           HP_MESSAGE("shared-debug-not-found",
                                      "%s: the shared debug file %s was not found"),
                           image->path, name);
}

// Find debug information in the order of gdb and elfutils: in the file itself, by its
// build id, by its debug link.  Nothing is ever fetched from a network.
static void find_debug(struct debug *debug, struct hp_image *image,
                       struct hp_file_requester *requester) {
    *debug = (struct debug){.image = NULL};
    if (hp_image_has_dwarf(image)) {
        debug->image = image;
    } else if (find_separate(debug, image, requester) &&
               hp_image_has_dwarf(&debug->separate)) {
        debug->image = &debug->separate;
    }
    if (debug->separate.elf) {
        debug->shift = debug->separate.base - image->base;
    }
    if (debug->image && (!hp_image_unpack(debug->image, &debug->diagnostic) ||
                         !find_alt(debug, debug->image, requester))) {
        debug->image = NULL;
        debug->is_unread = true;
    }
}

// --- looking up ------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    const struct hp_query *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

// Add a query for each requested address that is in a segment, ordered by address in the
// debug file.
static void load_queries(struct work *work) {
    struct hp_lookup *lookup = &work->lookup;
    for (uint32_t i = 0; i < work->request.addresses.count; i++) {
        struct hp_query query = {.index = i};
        if (hp_image_find(&work->image, work->request.kind, work->request.addresses.at[i],
                          &query.address)) {
            query.address += work->debug.shift;
            hp_vec_push(&lookup->queries, query);
        }
    }
    hp_vec_sort(&lookup->queries, compare);
}

// Name queries without a DIE by their symbol, keeping file and line from the line table.
// A query with a row but without a symbol gets a line without a name.  Returns whether
// any symbol was found.
static bool use_symbols(struct hp_lookup *lookup) {
    bool any = false;
    struct hp_query *query;
    hp_vec_each (query, &lookup->queries) {
        if (query->lines > 0) {
            continue;
        }
        const struct hp_symbol *symbol = hp_symtab_find(&lookup->symtab, query->address);
        struct hp_line line = {.file = query->file, .line = query->line};
        if (symbol) {
            line.linkage = hp_strtab_add(&lookup->strings, hp_span_of(symbol->name));
            any = true;
        }
        if (symbol || query->has_row) {
            query->first_line = (uint32_t)lookup->lines.count;
            query->lines = 1;
            hp_vec_push(&lookup->lines, line);
        }
    }
    return any;
}

// Find the function starts of queries that are still without a line, from unwind tables.
// A function never reaches across a symbol.
static void bound_functions(struct work *work) {
    struct hp_function_bounds bounds = {.image = NULL};
    struct hp_query *query;
    hp_vec_each (query, &work->lookup.queries) {
        uint64_t address = query->address - work->debug.shift, start;
        if (query->lines > 0 || work->image.lacks_code) {
            continue;
        }
        if (!bounds.image) {
            hp_function_bounds_open(&bounds, &work->image);
        }
        if (hp_function_bounds_find(&bounds, address, &start) &&
            address - start < UINT32_MAX &&
            hp_symtab_is_free(&work->lookup.symtab, start + work->debug.shift,
                              query->address)) {
            query->past_start = (uint32_t)(address - start) + 1;
        }
    }
    hp_function_bounds_done(&bounds);
}

// Demangle each distinct name once.
static void name_lines(struct hp_lookup *lookup) {
    HP_VEC(struct hp_mangled) names = {0};
    uint32_t *where = hp_alloc((lookup->strings.strings.count + 1) * sizeof *where);
    struct hp_line *line;
    hp_vec_each (line, &lookup->lines) {
        if (line->function.n == 0 && line->linkage.n != 0 && !where[line->linkage.n]) {
            hp_vec_push(&names, ((struct hp_mangled){line->linkage, {0}}));
            where[line->linkage.n] = (uint32_t)names.count;
        }
    }
    hp_demangle(&lookup->strings, names.at, names.count);
    hp_vec_each (line, &lookup->lines) {
        if (line->function.n == 0 && line->linkage.n != 0) {
            line->function = names.at[where[line->linkage.n] - 1].function;
        }
    }
    free(where);
    hp_vec_done(&names);
}

// Whether DWARF gave any query a function or a row of a line table.
static bool found_functions(const struct hp_lookup *lookup) {
    const struct hp_query *query;
    hp_vec_each (query, &lookup->queries) {
        if (query->lines > 0 || query->has_row) {
            return true;
        }
    }
    return false;
}

// Set the status, note and origin of the answer.  `dwarf` and `symbols`: whether that
// source gave names.
static void conclude(struct work *work, bool dwarf, bool symbols) {
    struct hp_answer *answer = &work->answer;
    const struct hp_lookup *lookup = &work->lookup;
    const struct debug *debug = &work->debug;
    answer->note = hp_span_of(debug->diagnostic.text);
    if (work->image.lacks_code && work->request.build_id.size == 0) {
        answer->note = hp_span_of(HP_NOTE_NO_CODE);
    }
    if (dwarf) {
        answer->status = HP_SYM_DWARF;
        answer->symbols_from = hp_span_of(debug->image->path);
    } else if (symbols) {
        const struct hp_image *image =
            debug->separate.elf ? &debug->separate : &work->image;
        answer->status = HP_SYM_SYMTAB;
        answer->symbols_from = hp_span_of(image->path);
    } else {
        answer->status =
            debug->diagnostic.text[0] ? debug->diagnostic.status : HP_SYM_STRIPPED;
    }
    answer->lacks_inlines = debug->is_unread || lookup->missing_split ||
                            lookup->over_budget || lookup->lacks_lines;
    answer->units = lookup->units;
    answer->line_programs = lookup->line_programs;
    if (lookup->lacks_lines) {
        answer->note = hp_span_of(hp_words(HP_WORDS(
            "line-tables-long", "its line tables ask for more work than they are long")));
    }
    if (lookup->missing_split) {
        answer->note = hp_span_of(
            lookup->flaw.text[0] ? lookup->flaw.text
            : lookup->has_package
                ? hp_words(HP_WORDS(
                      "package-lacks-unit",
                      "its package of split debug information (.dwp) lacks a unit"))
                : hp_words(
                      HP_WORDS("split-file-missing",
                               "a file of split debug information (.dwo) is missing")));
    }
    if (lookup->over_budget) {
        answer->status = dwarf ? HP_SYM_DWARF : HP_SYM_OVER_BUDGET;
        answer->note = hp_span_of(hp_words(
            HP_WORDS("debug-circular", "a part of its debug information is circular")));
    }
}

// Load the functions of the image and of its debug file, or else of its MiniDebugInfo,
// into one table by addresses in the debug file.
static void read_symbols(struct work *work) {
    struct hp_symtab *symtab = &work->lookup.symtab;
    struct debug *debug = &work->debug;
    hp_symtab_add(symtab, &work->image, debug->shift);
    if (debug->separate.elf) {
        hp_symtab_add(symtab, &debug->separate, 0);
    } else if (!hp_image_has_section(&work->image, ".symtab") &&
               hp_minidebug_open(&work->mini, &work->image, &debug->diagnostic)) {
        hp_symtab_add(symtab, &work->mini.image, debug->shift);
    }
    hp_symtab_sort(symtab);
}

// Fill the queries of a module from DWARF, symbols and unwind tables.
static void look_up(struct work *work, struct hp_file_requester *requester) {
    struct hp_lookup *lookup = &work->lookup;
    struct debug *debug = &work->debug;
    lookup->requester = requester;
    read_symbols(work);
    load_queries(work);
    if (debug->image && !hp_dwarf_look_up(lookup, debug->image, debug->alt)) {
        hp_sym_diagnose(&debug->diagnostic, HP_SYM_DAMAGED,
                        HP_MESSAGE("dwarf-damaged", "%s: %s"), debug->image->path,
                        dwarf_errmsg(-1));
        debug->is_unread = true;
    }
    bool dwarf = found_functions(lookup);
    bool symbols = use_symbols(lookup);
    bound_functions(work);
    conclude(work, dwarf, symbols);
}

// Classify the code after each call, where the call returns to.  All are unknown if no
// image is open.
static void find_returns(struct work *work) {
    work->answer.lacks_rules = work->image.elf && !hp_calls_are_known(&work->image);
    struct hp_code_window window = {.size = 0};
    const uint64_t *address;
    hp_vec_each (address, &work->request.addresses) {
        enum hp_return code =
            hp_calls_return_at(&work->image, &window, work->request.kind, *address + 1);
        hp_vec_push(&work->answer.returns, (unsigned char)code);
    }
}

// Take the names of addresses at which a function starts and that follow no call: they
// are pointers to the function, which the unwinder took for return addresses.  The byte
// before, by which addresses are looked up, is in another function.
static void forget_starts(struct work *work) {
    struct hp_function_bounds bounds = {.image = NULL};
    struct hp_query *query;
    hp_vec_each (query, &work->lookup.queries) {
        uint64_t address = query->address - work->debug.shift + 1, start;
        if (work->answer.returns.at[query->index] != HP_RETURN_OF_NONE) {
            continue;
        }
        if (!bounds.image) {
            hp_function_bounds_open(&bounds, &work->image);
        }
        if (hp_function_bounds_find(&bounds, address, &start) && start == address) {
            query->lines = 0;
            query->past_start = 0;
        }
    }
    hp_function_bounds_done(&bounds);
}

// Digest of the code of a query's function; 0 if it was not requested or is unknown.
static uint64_t code_of(const struct work *work, const struct hp_query *query) {
    uint64_t shift = work->debug.shift;
    return work->request.wants_code ? hp_function_code(&work->image, &work->lookup.symtab,
                                                       query->address - shift, shift)
                                    : 0;
}

// Fill the answer, in the order of the requested addresses.  Texts are truncated to
// HP_TEXT_LIMIT.
static void fill_answer(struct work *work) {
    struct hp_lookup *lookup = &work->lookup;
    struct hp_answer *answer = &work->answer;
    const struct hp_query **by_index =
        hp_alloc((work->request.addresses.count + 1) * sizeof *by_index);
    const struct hp_query *query;
    hp_vec_each (query, &lookup->queries) {
        by_index[query->index] = query;
    }
    for (size_t i = 0; i < work->request.addresses.count; i++) {
        uint32_t lines = by_index[i] ? by_index[i]->lines : 0;
        hp_vec_push(&answer->counts, lines);
        hp_vec_push(&answer->starts, by_index[i] ? by_index[i]->past_start : 0);
        hp_vec_push(&answer->codes, by_index[i] ? code_of(work, by_index[i]) : 0);
        for (uint32_t k = 0; k < lines; k++) {
            hp_vec_push(&answer->lines, lookup->lines.at[by_index[i]->first_line + k]);
        }
    }
    free(by_index);
    struct hp_span *string;
    hp_vec_each (string, &lookup->strings.strings) {
        struct hp_span text = *string;
        text.size = text.size < HP_TEXT_LIMIT ? text.size : HP_TEXT_LIMIT;
        hp_vec_push(&answer->strings, text);
    }
    for (size_t i = 1; i < lookup->sources.strings.count; i++) {
        struct hp_source_digest source;
        memcpy(&source, lookup->sources.strings.at[i].at, sizeof source);
        hp_vec_push(&answer->sources, source);
    }
}

// Report in the answer that the sandbox refused calls, because that may have cost names.
static void report_refusals(struct work *work) {
    struct hp_answer *answer = &work->answer;
    struct hp_refusals refusals = hp_sandbox_refusals();
    if (refusals.count > 0) {
        char call[32];
        hp_sandbox_call_name(refusals.first, call);
        hp_sym_diagnose(
            &work->refused, answer->status,
            HP_MESSAGE(
                "sandbox-refused",
                "not fully read: the sandbox refused %u call%s of the library that "
                "reads it, first %s"),
            refusals.count, refusals.count == 1 ? "" : "s", call);
        answer->lacks_inlines = true;
        answer->note = hp_span_of(work->refused.text);
    }
    answer->lacks_sandbox = hp_sandbox_lack()[0] != '\0';
}

// Whether a binary contains a text that jemalloc prints before its own messages.
static bool has_jemalloc(const struct hp_image *image) {
    static const char text[] = "<jemalloc>: ";
    struct hp_span data = hp_image_section(image, ".rodata");
    bool has = data.size > 0 && memmem(data.at, data.size, text, sizeof text - 1);
    if (data.size > HP_REST_AFTER) {
        hp_image_rest(image);
    }
    return has;
}

// Serve one module and leave the answer in requester->packet.
static void serve_module(struct work *work, struct hp_file_requester *requester) {
    if (!find_image(work, requester)) {
        work->answer.status = work->diagnostic.status;
        work->answer.note = hp_span_of(work->diagnostic.text);
    } else {
        find_debug(&work->debug, &work->image, requester);
        work->answer.build_id = hp_span_of(work->image.build_id);
        look_up(work, requester);
        name_lines(&work->lookup);
        work->answer.has_jemalloc = work->answer.status != HP_SYM_DWARF &&
                                    !hp_image_has_section(&work->image, ".symtab") &&
                                    has_jemalloc(&work->image);
    }
    find_returns(work);
    forget_starts(work);
    fill_answer(work);
    report_refusals(work);
    hp_answer_pack(&requester->packet, &work->answer);
}

// Serve a request for a module.  False if the request is malformed or the parent is gone.
static bool serve_module_request(struct hp_file_requester *requester,
                                 struct hp_packet *request) {
    struct work work = {.answer.note = {"", 0}};
    hp_packet_done(request);
    // `request` must outlive the questions to the parent, which reuse the message.
    *request = requester->message.body;
    requester->message.body = (struct hp_packet){0};
    bool good = hp_request_unpack(request, &work.request);
    if (good) {
        serve_module(&work, requester);
        good = hp_wire_send(&requester->wire, HP_SAY_ANSWER, &requester->packet, -1);
    }
    work_done(&work);
    return good;
}

// Serve a request for the code of a file, which is closed.
static bool serve_code_request(struct hp_file_requester *requester) {
    hp_file_code_answer(&requester->message.body, requester->message.fd,
                        &requester->packet);
    return hp_wire_send(&requester->wire, HP_SAY_ANSWER, &requester->packet, -1);
}

// Serve a request about pairs of calls in a file, which is closed.
static bool serve_pairs_request(struct hp_file_requester *requester) {
    hp_call_pairs_answer(&requester->message.body, requester->message.fd,
                         &requester->packet);
    return hp_wire_send(&requester->wire, HP_SAY_ANSWER, &requester->packet, -1);
}

void hp_worker_serve(int sock) {
    struct hp_file_requester requester = {
        .wire = {.sock = sock, .limit = HP_REQUEST_LIMIT}};
    struct hp_packet request = {0};
    bool good = true;
    while (good && hp_wire_receive(&requester.wire, &requester.message)) {
        uint32_t kind = requester.message.kind;
        good = kind == HP_SAY_MODULE  ? serve_module_request(&requester, &request)
               : kind == HP_SAY_CODE  ? serve_code_request(&requester)
               : kind == HP_SAY_PAIRS ? serve_pairs_request(&requester)
                                      : false;
    }
    hp_packet_done(&request);
    hp_packet_done(&requester.packet);
    hp_packet_done(&requester.message.body);
}
