import type { UserError as UserErrorView } from '../writes/outcome.ts';
import { builder } from './builder.ts';
import { UserError } from './write.ts';

export const InputValidation = builder.objectRef<readonly UserErrorView[]>('InputValidation').implement({
  description: 'The problems of the input of a write, found without sending it.',
  fields: (t) => ({
    isValid: t.boolean({
      nullable: false,
      description: 'Whether `userErrors` is empty. The service itself may refuse the write all the same.',
      resolve: (userErrors) => userErrors.length === 0,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: { list: false, items: false },
      description: 'Everything that the mutation would refuse before it sends anything.',
      resolve: (userErrors) => userErrors,
    }),
  }),
});
