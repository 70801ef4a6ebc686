// The page of a phone: it draws noise, shows what it sends, and keeps its number.
const part = (id) => document.getElementById(id);
const code = location.pathname.split("/").pop();
const TRIES = 3; // Connections that fail until the phone says why.
const STORE = `cape-lab-class-${code}`;
let line = null,
  keys = null,
  asked = null,
  order = null,
  sum = null,
  own = null,
  number = null,
  over = false,
  parked = false;
let token = "",
  tries = 0,
  reached = false,
  last = "";

const say = (title, words = "", step = "") => {
  part("title").textContent = title;
  part("say").textContent = words;
  part("step").textContent = step;
};
const problem = (words) => {
  part("problem").hidden = !words;
  part("problem").textContent = words;
};
const shown = (value) => {
  const size = Math.max(Math.abs(asked.high - asked.low), 1e-9);
  return value.toFixed(Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(size))))).replace("-", "−");
};
const send = (message) => {
  if (line?.readyState === 1) line.send(JSON.stringify(message));
};

function buttons(...list) {
  part("acts").replaceChildren(
    ...list.map(([label, act, look = "go"]) => {
      const button = document.createElement("button");
      button.textContent = label;
      button.className = look;
      button.addEventListener("click", () => {
        button.disabled = true;
        act();
      });
      return button;
    }),
  );
}

// One line of the account of a message: a sign, a text and a number with its bar.
function term(sign, words, value, reach, kind) {
  const row = document.createElement("div"),
    name = document.createElement("span"),
    digits = document.createElement("b");
  const bar = document.createElement("i");
  row.className = kind;
  name.textContent = `${sign} ${words}`;
  digits.textContent = shown(value);
  const width = 50 * Math.min(1, Math.abs(value) / reach);
  bar.style.width = `${width}%`;
  bar.style.left = `${value < 0 ? 50 - width : 50}%`;
  row.append(name, digits, bar);
  return row;
}

function leaves() {
  const masks = asked.form === "masks";
  const words = [
    masks
      ? "First: a random number ê, hidden by masks that this phone shares with every other phone. The laptop learns only the sum of all ê."
      : "First: a random number ê. This address has no https, so no masks can hide it: the laptop learns it, and so does whoever listens to this network.",
    "Then: one message, your number plus noise. The noise has two parts: ê less a share of the sum of all ê, which cancels when all messages are added, and a small part g of this phone alone.",
    "Your number itself leaves only if you press “Reveal my number” at the end.",
    "Every further room costs privacy again: whoever answers in a second one reveals more to the laptop about the same person.",
    "The program of this page comes from the lecturer's laptop. Whoever takes part trusts it to be this program.",
  ];
  part("leaves").replaceChildren(
    ...words.map((text) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = text;
      return paragraph;
    }),
  );
}

function seated(message) {
  asked = message;
  token = message.token;
  try {
    localStorage.setItem(STORE, token);
  } catch {
    /* A private window keeps nothing. */
  }
  part("seat").textContent = `phone ${message.number}`;
  part("bounds").textContent = `A number from ${message.low} to ${message.high}`;
  part("value").inputMode = message.low < 0 ? "text" : "decimal"; // Some decimal keyboards have no minus.
  leaves();
  if (number === null) lobby();
  else send({ t: "ready", ready: true });
}

function lobby() {
  number = null;
  say(
    asked.question,
    "Your number stays on this phone. What is sent has noise added to it.",
    "1 of 4 · your number",
  );
  part("form").hidden = false;
  part("sum").hidden = true;
  buttons();
}

function ready(event) {
  event.preventDefault();
  const { value: typed, problem: words = "" } = typedNumber(part("value").value);
  problem(words);
  if (words) return;
  number = clip(typed, asked.low, asked.high);
  if (parked) {
    parked = false;
    connect();
  }
  wait(number !== typed ? ` It was clipped to ${number}, the nearest bound.` : "");
}

function wait(clipped) {
  part("form").hidden = true;
  say(
    asked.question,
    `Waiting for the class.${clipped} Keep this page open and the screen on.`,
    "1 of 4 · ready",
  );
  buttons([
    "Change my number",
    () => {
      send({ t: "ready", ready: false });
      lobby();
    },
    "quiet",
  ]);
  send({ t: "ready", ready: true });
  awake();
}

async function noise(message) {
  if (number === null) return;
  if (order?.round === message.round) return contribute();
  order = { ...message, seed: Math.round(normal() * message.seed) };
  own = sum = null;
  say(
    "Drawing noise",
    asked.form === "masks"
      ? `This phone has drawn ê and hides it by masks shared with ${message.phones - 1} other phones.`
      : "This phone has drawn ê. The laptop sees it and adds up the ê of all phones.",
    "2 of 4 · noise",
  );
  buttons();
  const purpose = `cape-lab class|${asked.code}|${message.round}`;
  const hidden =
    asked.form === "masks"
      ? await masked(order.seed, keys.secret, message.place, message.keys, purpose)
      : order.seed;
  if (order.round !== message.round) return;
  order.hidden = hidden;
  contribute();
}

// Also again, where the room says after a lost connection that the contribution has not come: the same number.
function contribute() {
  if (order.hidden !== undefined) send({ t: "noise", round: order.round, y: order.hidden });
}

function summed(message) {
  if (!order) return;
  if (sum?.round === message.round) return own.sent ? deliver() : undefined;
  sum = message;
  const zero = order.seed - shareOfTotal(message.total, order.place, order.phones);
  const local = Math.round(normal() * message.local);
  own = { zero, local, m: Math.round((number - asked.low) / message.step) + zero + local };
  account();
  say(
    "Your message",
    `${asked.form === "masks" ? "Only the last line leaves this phone." : "The laptop can compute the second line from ê. Of the others only the last leaves this phone."} Send it when the class does.`,
    "3 of 4 · message",
  );
  buttons([
    "Send my message",
    () => {
      own.sent = true;
      deliver();
      say(
        "Sent",
        "Waiting for the others. The noise cancels only when every message has come: keep the screen on.",
        "3 of 4 · sent",
      );
      buttons();
    },
  ]);
}

// The message, which is the same whenever the room asks for it: it costs once.
const deliver = () => send({ t: "message", round: sum.round, m: own.m });

function account() {
  const parts = [number, own.zero * sum.step, own.local * sum.step, asked.low + own.m * sum.step];
  const reach = Math.max(...parts.map(Math.abs));
  part("sum").replaceChildren(
    term("", "your number", parts[0], reach, "own"),
    term("+", "noise that cancels", parts[1], reach, "zero"),
    term("+", "this phone's own noise", parts[2], reach, "local"),
    term("=", "message", parts[3], reach, "message"),
  );
  part("sum").hidden = false;
}

function result(message) {
  if (!own) return out({ words: "The round ended without this phone." });
  const missing = message.phones - message.sent;
  say(
    `Average ${shown(message.average)} ± ${shown(message.std)}`,
    `With noise that cancels, from ${message.sent} of ${message.phones} phones. With independent noise: ${shown(message.conventional)} ± ${shown(message.conventional_std)}.` +
      (missing
        ? ` ${missing === 1 ? "1 phone" : `${missing} phones`} dropped out, so not all noise cancelled.`
        : ""),
    "4 of 4 · average",
  );
  const choices = [];
  if (own.sent && message.asking.includes("reveal") && !last.includes("reveal"))
    choices.push([
      "Reveal my number",
      () => {
        last += "reveal";
        send({ t: "reveal", x: number });
        result(message);
      },
    ]);
  if (own.sent && message.asking.includes("shout") && !last.includes("shout"))
    choices.push([
      "Disclose my noise ê",
      () => {
        last += "shout";
        send({ t: "shout", e: order.seed });
        result(message);
      },
    ]);
  const words = [];
  if (last.includes("reveal")) words.push("Your number is with the laptop.");
  if (last.includes("shout")) words.push("Your ê is with the laptop.");
  if (choices.length) words.push("You choose; doing nothing is fine.");
  if (choices.some(([label]) => label.startsWith("Reveal")))
    words.push("Reveal sends your number to the laptop, without noise.");
  if (choices.some(([label]) => label.startsWith("Disclose")))
    words.push(
      "Disclosing ê leaves your number only this phone's own small noise, and protects the others less, too.",
    );
  problem("");
  buttons(...choices);
  if (words.length) part("say").textContent += ` ${words.join(" ")}`;
}

function out(message) {
  say("Not in this round", message.words);
  part("form").hidden = true;
  buttons();
}

// The place went to another phone: this one keeps what is typed, and joins again when its owner is ready.
function taken(message) {
  parked = true;
  token = "";
  try {
    localStorage.removeItem(STORE);
  } catch {
    /* It kept nothing. */
  }
  const typed = number !== null;
  lobby();
  if (typed) problem(`${message.words} Press “I am ready” to join again.`);
}

function closed(words) {
  over = true;
  try {
    localStorage.removeItem(STORE);
  } catch {
    /* It kept nothing. */
  }
  say("The room has closed", `${words} Nothing is kept: you can close this page.`);
  part("form").hidden = true;
  part("sum").hidden = true;
  buttons();
}

function refused(message) {
  if (message.seated) return problem(message.words);
  over = true;
  say("You cannot join", message.words);
  line.close();
}

const hear = {
  seat: seated,
  noise,
  sum: summed,
  result,
  out,
  refused,
  parked: taken,
  closed: (message) => closed(message.words),
};

// A browser does not say why a line did not open: these are the causes.
function unreached(reason) {
  say(
    "No connection to the room yet",
    reached
      ? `The room ended it${reason && `: ${reason}`}. Trying again …`
      : `This page came, but its websocket does not open; trying again … Tell the lecturer: a proxy or this network may block websockets, or the server was not started with --allow-websocket-origin ${location.host}.`,
  );
}

async function connect() {
  keys ??= await keyPair();
  const resume = token !== "";
  let stored = token;
  try {
    stored ||= localStorage.getItem(STORE) ?? "";
  } catch {
    /* None. */
  }
  const opened = new WebSocket(`${location.origin.replace(/^http/, "ws")}${location.pathname}/line`);
  line = opened;
  line.onopen = () => {
    reached = true;
    send({ t: "join", key: keys?.public ?? null, token: stored || null, resume });
    problem("");
  };
  line.onmessage = (event) => {
    tries = 0;
    const message = JSON.parse(event.data);
    hear[message.t]?.(message);
  };
  line.onclose = (event) => {
    if (over || parked || line !== opened) return;
    tries += 1;
    if (event.code === 4404 && event.reason !== "several") return closed("There is no such room.");
    if (tries > 40) return closed("The room could not be reached.");
    if (asked) problem("The connection was lost; trying again …");
    else if (tries >= TRIES) unreached(event.reason);
    setTimeout(connect, event.code === 4404 ? 150 : Math.min(4000, 300 * tries));
  };
}

// Only a secure page may keep the screen on; elsewhere the words ask for it.
async function awake() {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    /* Not now. */
  }
}

part("form").addEventListener("submit", ready);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && number !== null && !over) awake();
});
setInterval(() => send({ t: "beat" }), 10000);
connect();
