import { expect } from 'vitest';

/** What a message must not contain: an argument's name, its path, or the name of a setting. */
const TERMS = /\b[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b|\b(?:input|timing)\.\w|[a-zA-Z]\.\d+\b/g;

// What the caller or the service wrote is quoted as it is.
const QUOTATIONS = /"(?:[^"\\]|\\.)*"| The service says: .*$/gsu;

/** Fails the test for messages that are not complete sentences for the person who wrote the post. */
export function expectForPeople(problems: readonly { readonly message: string }[]): void {
  for (const { message } of problems) {
    expect(message.replaceAll(QUOTATIONS, '""').match(TERMS) ?? []).toEqual([]);
    expect(message).toMatch(/^["\p{Lu}\d].*(?:\.| The service says: .+)$/su);
  }
}
