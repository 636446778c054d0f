import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that wait for long: begun among the last ones, they would be waited for. */
const LONGEST = ['watch/several-processes', 'live/slow-readers', 'publish-once'].map(
  (name) => `/test/${name}.test.ts`,
);

/**
 * Lets the files of a project come one after another, since a worker serves one project, and ends with its last file; of
 * each project's files, those that wait longest first.
 */
export class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a sequencer
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.endsWith(name));
    const inOrder = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    const projects = sorted[0]?.project.vitest.projects ?? [];
    return projects.flatMap((project) => inOrder.filter((file) => file.project === project));
  }
}
