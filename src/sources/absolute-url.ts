// What nearly all addresses are like: a name of a host in plain letters, and whatever follows it. A label that begins with
// `xn--` stands for other letters, and may be none.
const PLAIN = /^https?:\/\/(?:(?!xn--)[\da-z-]+\.)+[a-z]{2,}(?:[/?#].*)?$/s;
const ASCII = /^[\0-\x7F]*$/;

/**
 * Whether a text is an absolute address, by the rules of `URL`. `URL.canParse` of Node 20 can't be asked about others than
 * ASCII texts: once it was called often, it takes `https://müller.example` for none.
 */
export function isAbsoluteUrl(text: string): boolean {
  if (PLAIN.test(text)) return true;
  return ASCII.test(text) ? URL.canParse(text) : isParsed(text);
}

function isParsed(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}
