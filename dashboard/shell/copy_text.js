// Body of a click's callback, which is given: text, button.
const was = button.label
const done = () => { button.label = "Copied"; setTimeout(() => { button.label = was }, 1500) }
const by_hand = () => {
  const area = document.createElement("textarea")
  area.value = text
  document.body.appendChild(area); area.select()
  document.execCommand("copy"); area.remove(); done()
}
// The clipboard of the modern kind exists on https and localhost alone.
if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, by_hand)
else by_hand()
