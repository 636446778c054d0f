import type { UserError as UserErrorView } from '../writes/outcome.ts';
import { builder } from './builder.ts';
import { UserError } from './write.ts';

export const InputValidation = builder.objectRef<readonly UserErrorView[]>('InputValidation').implement({
  description: 'The result of validating an input without sending it.',
  fields: (t) => ({
    isValid: t.boolean({
      nullable: false,
      description: 'Whether `userErrors` is empty. The service may still reject the write.',
      resolve: (userErrors) => userErrors.length === 0,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: false,
      description: 'Problems that would make the mutation reject the input before sending anything.',
      resolve: (userErrors) => userErrors,
    }),
  }),
});
