// Body of a labeling policy, which is given: indices, distance. The first label, and each n-th from there that has room.
const all = [...indices]
const touch = (n) => all.some((at, i) => i % n === 0 && i + n < all.length && distance(at, all[i + n]) < 6)
let n = 1
while (n < all.length && touch(n)) n++
return all.filter((_, i) => i % n === 0)
