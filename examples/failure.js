// @ts-check
// How the examples fail: with a line for each error, its message and its code, and status 1. Import it for that alone.

process.on('uncaughtException', (error) => {
  for (const line of linesOf(error)) console.error(line);
  process.exit(1);
});

/**
 * An error as it may come from any of the clients: an error of the graph, alone or several in one, has its code in
 * `extensions`; an error of the network has it beside the message, and often within what caused it.
 *
 * @typedef {object} Failure
 * @property {string} message
 * @property {string} [code]
 * @property {{ code?: string }} [extensions]
 * @property {unknown} [cause]
 * @property {Failure[]} [errors]
 * @property {{ errors?: Failure[] }} [response]
 */

/**
 * @param {Failure} failure
 * @returns {string[]}
 */
function linesOf({ message, code, extensions, cause, errors, response }) {
  const parts = response?.errors ?? errors ?? [];
  if (parts.length > 0) return parts.flatMap(linesOf);
  if (cause instanceof Error) return [message, ...linesOf(cause)];
  const ownCode = extensions?.code ?? code;
  return [ownCode === undefined ? message : `${message} (${ownCode})`];
}
