import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Lets the files of a project come one after another, since a worker serves one project, and ends with its last file. */
export class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a sequencer
    const sorted = await super.sort(files);
    const projects = sorted[0]?.project.vitest.projects ?? [];
    return projects.flatMap((project) => sorted.filter((file) => file.project === project));
  }
}
