// Render files as markdown-it and marked do where all is allowed that they know: tables, HTML, links out
// of plain text.  Prints {file: [HTML of each]} as JSON.
//
// usage: node markdown.mjs PEERS FILE...
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRequire } from 'node:module'

const [peers, ...files] = process.argv.slice(2)
const found = createRequire(path.join(path.resolve(peers), 'x'))
const load = (name) => import(pathToFileURL(found.resolve(name)).href)
const MarkdownIt = (await load('markdown-it')).default
const { marked } = await load('marked')
const it = new MarkdownIt({ html: true, linkify: true, typographer: true })

console.log(JSON.stringify(Object.fromEntries(files.map((file) => {
    const text = readFileSync(file, 'utf8')
    return [file, [it.render(text), marked.parse(text, { gfm: true })]]
}))))
