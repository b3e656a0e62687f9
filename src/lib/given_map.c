#include "lib/given_map.h"

#include "input/maps.h"

int hp_given_map_read(struct hp_given_map *given, const struct hp_read_options *options,
                      struct hp_err *err) {
    bool is_elf;
    if (!options->maps) {
        return HP_OK;
    }
    given->reader.limit = options->max_input_size;
    given->reader.single = true;
    // Accept a file that is only a memory map, as an empty dump of sample period 1.
    given->reader.map_period = 1;
    given->reader.stream.waits = options->wait;
    int ret = hp_reader_read(&given->reader, options->maps, &given->dump, &is_elf, err);
    if (ret == HP_OK && (given->dump.mappings.count == 0 || given->dump.has_rows)) {
        ret = hp_fail(err, HP_E_FORMAT,
                      HP_MESSAGE("given-map-none", "it has no memory map of a process"));
    }
    if (ret == HP_OK && (given->dump.cut.code != HP_OK || given->dump.damage.what)) {
        ret = hp_fail(err, HP_E_FORMAT,
                      HP_MESSAGE("damaged-given-map",
                                 "damaged: its memory map may be cut"));
    }
    if (ret != HP_OK) {
        hp_err_locate(err, options->maps, err->line);
    }
    return ret;
}

bool hp_given_map_lend(const struct hp_given_map *given, struct hp_dump *dump) {
    const struct hp_dump *from = &given->dump;
    if (from->mappings.count == 0 || dump->mappings.count > 0 || dump->has_rows) {
        return false;
    }
    hp_vec_append(&dump->mappings, from->mappings.at, from->mappings.count);
    hp_maps_identify(dump);
    return true;
}

void hp_given_map_done(struct hp_given_map *given) {
    hp_dump_done(&given->dump);
    hp_reader_done(&given->reader);
}
