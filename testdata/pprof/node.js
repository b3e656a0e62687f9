// A profile of a Node.js program's own heap, as @datadog/pprof writes it.
const pprof = require('@datadog/pprof');
const fs = require('fs');
pprof.heap.start(32 * 1024, 64);
const kept = [];
class Order { constructor(i) { this.id = i; this.text = 'x'.repeat(64) + i; this.list = new Array(32).fill(i); } }
function makeOrders(n) { for (let i = 0; i < n; i++) kept.push(new Order(i)); }
function makeIndex(n) { const map = new Map(); for (let i = 0; i < n; i++) map.set('k' + i, { i }); kept.push(map); }
makeOrders(20000);
makeIndex(20000);
const profile = pprof.heap.profile();
fs.writeFileSync(process.argv[2], pprof.encodeSync(profile));
pprof.heap.stop();
console.log(kept.length);
