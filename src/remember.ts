/** A map, of whatever kind. */
interface Kept<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: NoInfer<V>): unknown;
}

/** Returns the value of a key, which is made and kept if there is none: as a `Map` of a later Node does. */
export function getOrInsertComputed<K, V>(kept: Kept<K, V>, key: K, make: (key: K) => V): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  kept.set(key, made);
  return made;
}

/** How much is remembered. */
interface Bounds {
  /** All is forgotten when there are so many texts. */
  readonly most: number;
  /** Longer texts are not remembered, in characters. */
  readonly longest: number;
}

/** Returns a function that remembers what another one returns for the texts that are seen again and again. */
export function remembering<T>(read: (text: string) => T, { most, longest }: Bounds): (text: string) => T {
  const readings = new Map<string, T>();
  return (text) => {
    const known = readings.get(text);
    if (known !== undefined) return known;
    const reading = read(text);
    if (readings.size >= most) readings.clear();
    if (text.length <= longest) readings.set(text, reading);
    return reading;
  };
}
