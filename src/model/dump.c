#include "model/dump.h"

void hp_dump_clear(struct hp_dump *dump) {
    hp_strtab_done(&dump->strings);
    struct hp_dump kept = *dump;
    *dump = (struct hp_dump){0};
    dump->addresses = kept.addresses;
    dump->frames = kept.frames;
    dump->stacks = kept.stacks;
    dump->thread_lines = kept.thread_lines;
    dump->mappings = kept.mappings;
    dump->addresses.count = 0;
    dump->frames.count = 0;
    dump->stacks.count = 0;
    dump->thread_lines.count = 0;
    dump->mappings.count = 0;
}

void hp_dump_done(struct hp_dump *dump) {
    hp_vec_done(&dump->addresses);
    hp_vec_done(&dump->frames);
    hp_vec_done(&dump->stacks);
    hp_vec_done(&dump->thread_lines);
    hp_vec_done(&dump->mappings);
    hp_strtab_done(&dump->strings);
}
