// Decode a pprof profile with the npm package pprof-format, encode and decode it again, and
// print what it holds, both times, as JSON.
//
// usage: node pprof_format.mjs NODE_MODULES PROFILE
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { createRequire } from 'node:module'
import path from 'node:path'

const [modules, file] = process.argv.slice(2)
const { Profile } = createRequire(path.join(path.resolve(modules), 'x'))('pprof-format')

function describe(profile) {
    const text = (i) => profile.stringTable.strings[Number(i)]
    const functions = new Map(profile.function.map((f) => [f.id, text(f.name)]))
    const locations = new Map(profile.location.map((l) => [l.id, l]))
    const name = (id) => locations.get(id).line.map((l) => functions.get(l.functionId))
    return {
        types: profile.sampleType.map((t) => [text(t.type), text(t.unit)]),
        samples: profile.sample.map((s) => ({
            names: s.locationId.flatMap(name),
            values: s.value.map(String),
            labels: s.label.map((l) => [text(l.key), text(l.str), String(l.num)]),
        })),
        mappings: profile.mapping.map((m) => [text(m.filename), text(m.buildId)]),
        comments: profile.comment.map(text),
    }
}

const once = Profile.decode(gunzipSync(readFileSync(file)))
const twice = Profile.decode(once.encode())
console.log(JSON.stringify([describe(once), describe(twice)]))
