// What nearly all addresses are like: a name of a host in plain letters, and whatever follows it. A label that begins with
// `xn--` stands for other letters, and may be none.
const PLAIN = /^https?:\/\/(?:(?!xn--)[\da-z-]+\.)+[a-z]{2,}(?:[/?#].*)?$/s;

/** Whether a text is an absolute address, as `URL.canParse` says; for most of them in a fifth of its time. */
export function isAbsoluteUrl(text: string): boolean {
  return PLAIN.test(text) || URL.canParse(text);
}
