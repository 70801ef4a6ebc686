// Random numbers, masks and the parts of a message. `dashboard/packs/classroom/phone.py` and `ring.py` do the same.
const RING = 2 ** 48;

// Uniform on (0, 1], on a grid of 2^-53, from the operating system.
const uniform = () => {
  const [a, b] = crypto.getRandomValues(new Uint32Array(2));
  return ((a >>> 5) * 67108864 + (b >>> 6) + 1) / 9007199254740992;
};
// A standard normal number by Box and Muller; a phone needs two in a round, so the second of a pair is not kept.
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

const modulo = (value, base) => ((value % base) + base) % base;
const centred = (value) => modulo(value + RING / 2, RING) - RING / 2;

const hex = (bytes) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

// A key pair for one room; null where the browser has none, as on plain http.
async function keyPair() {
  if (!globalThis.crypto?.subtle) return null;
  const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
  return { secret: pair.privateKey, public: hex(await crypto.subtle.exportKey("raw", pair.publicKey)) };
}

// The mask that this phone shares with the owner of a public key, for one purpose.
async function mask(secret, other, purpose) {
  const key = await crypto.subtle.importKey(
    "raw",
    bytes(other),
    { name: "ECDH", namedCurve: "P-256" },
    false,
    [],
  );
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: key }, secret, 256);
  const base = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode(purpose);
  const found = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    base,
    48,
  );
  return new Uint8Array(found).reduce((sum, byte) => sum * 256 + byte, 0);
}

// A value with the masks shared with all others; in the sum over all phones they cancel.
async function masked(value, secret, place, keys, purpose) {
  const masks = await Promise.all(keys.map((key, i) => (i === place ? 0 : mask(secret, key, purpose))));
  return masks.reduce((sum, number, i) => centred(sum + (i > place ? number : -number)), value);
}

// The part of T that a place subtracts: T/S in whole steps, so that the rests sum to exactly zero.
const shareOfTotal = (total, place, phones) =>
  Math.floor(total / phones) + (place < modulo(total, phones) ? 1 : 0);

const clip = (value, low, high) => Math.min(Math.max(value, low), high);
