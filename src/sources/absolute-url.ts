// The form of nearly all URLs: a host name in plain letters, and whatever follows it. A label that begins with `xn--`
// encodes other letters and may be invalid.
const PLAIN = /^https?:\/\/(?:(?!xn--)[\da-z-]+\.)+[a-z]{2,}(?:$|[/?#])/;
const ASCII = /^[\0-\x7F]*$/;

/**
 * Whether a text is an absolute URL by the rules of `URL`. `URL.canParse` of Node 20 is only reliable for ASCII: after
 * many calls, it rejects `https://müller.example`.
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
