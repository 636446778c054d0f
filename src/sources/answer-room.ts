/** The room for the answers of one surface that are in hand at once. */
export interface AnswerRoom {
  /** Room for one answer of up to so many bytes; none of it is taken yet. */
  open(limit: number): AnswerSpace;
}

/** The room that one answer takes. */
export interface AnswerSpace {
  /** Takes room for so many bytes in all; false where there is not as much left. */
  reach(bytes: number): boolean;
  /** Gives back what was taken. */
  leave(): void;
}

/** Makes room for so many bytes. */
export function createAnswerRoom(maxBytes: number): AnswerRoom {
  let taken = 0;
  return {
    open(limit) {
      let own = 0;
      return {
        reach(bytes) {
          if (bytes <= own) return true;
          // Twice as much each time: of many that grow side by side half find room, and not none at the end.
          const more = Math.max(bytes, Math.min(limit, own * 2)) - own;
          if (taken + more > maxBytes) return false;
          taken += more;
          own += more;
          return true;
        },
        leave() {
          taken -= own;
          own = 0;
        },
      };
    },
  };
}
