/** How deadlines are watched; an object, so that a test can be in a hurry. */
export const deadlines = {
  /** Runs something when so many milliseconds have passed; gives what calls it off. */
  start: (ms: number, onPassed: () => void): (() => void) => {
    const timer = setTimeout(onPassed, Math.ceil(ms));
    return () => clearTimeout(timer);
  },
};
