import { DefaultReporter, type TestModule, type TestSpecification } from 'vitest/node';
import { missingPrograms } from './programs.ts';

/** How often progress is a new line where there is no terminal, in milliseconds. */
const LINE_EVERY_MS = 60_000;

type RunEnd = Parameters<DefaultReporter['onTestRunEnd']>;

/** Shows one line of progress while tests run and, at the end, what failed and what was left out for which reason. */
export class ProgressReporter extends DefaultReporter {
  #files = 0;
  #finished = 0;
  #tests = 0;
  #failed = 0;
  #startedAt = 0;
  #printedAt = 0;

  constructor() {
    super({ summary: false });
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    this.#files = specifications.length;
    this.#startedAt = performance.now();
    this.#printedAt = this.#startedAt;
  }

  override onTestModuleEnd(module: TestModule): void {
    this.#finished += 1;
    for (const test of module.children.allTests()) {
      this.#tests += 1;
      if (test.result().state === 'failed') this.#failed += 1;
    }
    if (module.state() === 'failed') {
      this.#clearLine();
      super.onTestModuleEnd(module);
    }
    this.#printProgress();
  }

  override onTestRunEnd(...end: RunEnd): void {
    this.#clearLine();
    super.onTestRunEnd(...end);
    const [modules] = end;
    const skipped = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => test.result().state === 'skipped').length;
    for (const { program, tests } of missingPrograms())
      this.log(`Left out: the tests ${tests}, because ${program} is not installed.`);
    if (skipped > 0) this.log(`${skipped} tests were skipped.`);
    this.log(
      `TEST_SEED=${modules[0]?.project.getProvidedContext().seed} repeats the random cases of this run.`,
    );
  }

  #printProgress(): void {
    const now = performance.now();
    if (!this.isTTY && now - this.#printedAt < LINE_EVERY_MS) return;
    this.#printedAt = now;
    const seconds = Math.round((now - this.#startedAt) / 1_000);
    const line = `${this.#finished} of ${this.#files} files, ${this.#tests} tests, ${this.#failed} failed, ${seconds} s`;
    if (this.isTTY) process.stdout.write(`\r${line}\u001b[K`);
    else this.log(line);
  }

  #clearLine(): void {
    if (this.isTTY) process.stdout.write('\r\u001b[K');
  }
}
