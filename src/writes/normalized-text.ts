/** Characters that normalisation may change. */
const MAY_CHANGE = /[^\0-\u02FF]/;
const LONG_RUN = /\p{M}{30}/gu;

/**
 * Returns a text in Unicode's normalisation form C, in linear time. The normalisation of JavaScript sorts each run of
 * combining marks in quadratic time, so a combining grapheme joiner is inserted after every 30 of them, as in the
 * Stream-Safe Text Process of Unicode (UAX #15).
 */
export function normalized(text: string): string {
  return MAY_CHANGE.test(text) ? text.replaceAll(LONG_RUN, '$&\u034F').normalize('NFC') : text;
}
