// What a person types as a number, with a comma or a point, and with thousands apart in the ways of many countries.
// Returns { value }, or { problem }: words for what is no number or may mean two.
function typedNumber(text) {
  const plain = text.normalize("NFKC").trim().replace(/^[−–]/, "-"),
    none = { problem: "Type a number first." };
  const parts = /^([+-]?)(\d[\d.,' ’]*|[.,]\d+)$/.exec(plain);
  if (!parts) return none;
  const [, sign, body] = parts,
    number = (digits) => ({ value: Number((sign === "-" ? "-" : "") + digits) });
  const one = /^(\d*)([.,])(\d*)$/.exec(body);
  if (one) {
    const [, whole, mark, rest] = one;
    // Three digits after a single mark: thousands in one country, decimals in another.
    if (!/^[1-9]\d{0,2}$/.test(whole) || rest.length !== 3) return number(`${whole || 0}.${rest || 0}`);
    const minus = sign === "-" ? "-" : "",
      small = rest === "000" ? whole : `${whole}${mark}${rest}0`;
    return {
      problem: `“${text.trim()}” may mean two numbers. Type ${minus}${whole}${rest} or ${minus}${small}.`,
    };
  }
  const apart = /^[1-9]\d{0,2}(?:([.,' ’])\d{3}(?:\1\d{3})*)?(?:([.,])(\d+))?$/.exec(body);
  if (/^\d+$/.test(body)) return number(body);
  if (!apart || apart[1] === apart[2]) return none;
  const digits = body.slice(0, apart[2] ? body.lastIndexOf(apart[2]) : undefined).replace(/\D/g, "");
  return number(`${digits}.${apart[3] || 0}`);
}
