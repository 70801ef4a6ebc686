// The question that opens a room.
function setupForm(send) {
  const form = make("form", "setup");
  const field = (name, label, value, attributes = {}) => {
    const row = make("label", "", label),
      input = set(make("input"), { name, value, required: "", ...attributes });
    row.append(input);
    form.append(row);
    return input;
  };
  form.append(make("h2", "", "Ask your class for a number"));
  form.append(
    make("p", "", "Every phone becomes a site. Numbers stay on the phones; the bounds are public."),
  );
  // As text: a field of numbers takes 7,5 for 75 on an English page.
  const numeric = (name, label, value, least = -Infinity, most = Infinity) => {
    const input = field(name, label, value, { inputmode: least < 0 ? "text" : "decimal", maxlength: 40 });
    input.addEventListener("input", () => {
      const typed = typedNumber(input.value);
      const off = typed.value < least || typed.value > most;
      input.setCustomValidity(typed.problem ?? (off ? `From ${least} to ${most}.` : ""));
    });
    return input;
  };
  const question = field("question", "Question", "How many hours did you sleep?", { maxlength: 120 });
  const low = numeric("low", "Smallest possible number", "0");
  const high = numeric("high", "Largest possible number", "12");
  const epsilon = numeric("epsilon", "Privacy ε of one message", "1", 0.001, 10);
  const forms = make("fieldset");
  forms.append(make("legend", "", "Who adds up the noise that cancels?"));
  const choices = {
    masks: "Masks between phones hide it from the laptop (needs https, or this machine alone)",
    generator: "The laptop itself, which then knows it (works everywhere)",
  };
  const why = set(make("p", "why"), { id: "no-masks", hidden: "" });
  for (const [value, words] of Object.entries(choices)) {
    const label = make("label", "choice"),
      input = set(make("input"), { type: "radio", name: "form", value });
    label.append(input, words);
    forms.append(label, ...(value === "masks" ? [why] : []));
  }
  const masks = forms.querySelector("[value=masks]"),
    generator = forms.querySelector("[value=generator]");
  const choose = (secure) => {
    (secure ? masks : generator).checked = true;
  };
  set(masks, { "aria-describedby": "no-masks" });
  choose(location.protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname));
  // Phones may have another address than this page, which the server knows.
  const offer = (noMasks) => {
    if (masks.dataset.told === noMasks) return;
    masks.dataset.told = why.textContent = noMasks;
    why.hidden = !noMasks;
    masks.disabled = !why.hidden;
    choose(why.hidden);
  };
  const go = make("button", "go", "Open the room");
  form.append(forms, go);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = forms.querySelector(":checked").value,
      [from, to, level] = [low, high, epsilon].map((input) => typedNumber(input.value).value);
    send({
      act: "open",
      question: question.value,
      low: from,
      high: to,
      epsilon: level,
      form: chosen,
      page: location.href,
    });
  });
  return { form, epsilon, offer };
}
