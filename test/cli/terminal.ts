import { onTestFinished } from 'vitest';

/** Makes standard output a terminal for the rest of a test. */
export function openTerminal(): void {
  const before = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true });
  onTestFinished(() => {
    Reflect.deleteProperty(process.stdout, 'isTTY');
    if (before) Object.defineProperty(process.stdout, 'isTTY', before);
  });
}
