/**
 * Runs the command that the arguments of a command line name, and loads nothing of the others. A failure that the
 * operator can do something about is explained, and ends the process with status 1; any other one is thrown.
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    // There is nothing to parse: loading the parser would take a twentieth of the start.
    if (args.length === 0) await (await import('./start.ts')).start();
    else await (await import('./commands.ts')).createProgram(args).parseAsync(args, { from: 'user' });
  } catch (error) {
    const { adviceOn } = await import('./failure.ts');
    const advice = adviceOn(error);
    if (advice === null) throw error;
    process.stderr.write(`${advice}\n`);
    process.exit(1);
  }
}
