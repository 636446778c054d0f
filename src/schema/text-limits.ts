import { measure, TEXT_LIMITS, type TextLimit as Limit } from '../../packages/text-length/src/text-length.ts';
import { MAX_TEXT } from '../writes/problems.ts';
import { SocialNetwork } from './account-parts.ts';
import { builder, defineEnum } from './builder.ts';
import { field, int, nonNull, shown } from './data.ts';
import { InputError } from './errors.ts';

// The length limits of networks as data, for editors that count while somebody types. No call to the service.

const TextUnit = defineEnum('TextUnit', 'Units in which networks count the length of a text.', {
  WEIGHTED_CHARACTERS:
    'Weighted characters, as on X: emoji, CJK and many symbols count as two each, a link as 23.',
  CHARACTERS: 'Unicode code points.',
  UTF16_UNITS: 'UTF-16 code units, like `length` in JavaScript: most emoji count as two or more.',
});

const TextLimitField = defineEnum('TextLimitField', 'Texts of a post that have a length limit.', {
  TEXT: ['text', 'The text of the post (`PostVariantInput.text`).'],
  TITLE: ['title', 'The title of the post (`PostVariantInput.title`).'],
});

interface MeasuredLimit extends Limit {
  readonly measured: string | null | undefined;
}

const TextLimit = builder.objectRef<MeasuredLimit>('TextLimit').implement({
  description: 'The maximum length of one text of a post on one network, as documented by the network.',
  fields: (t) =>
    shown(t, {
      network: nonNull(field(SocialNetwork, 'Network that has the limit.')),
      field: nonNull(field(TextLimitField, 'Text that the limit applies to.')),
      unit: nonNull(field(TextUnit, 'Unit of `max` and `length`.')),
      max: nonNull(int('Maximum length that the network allows.')),
      length: t.int({
        description: 'Length of the `text` argument in this unit; null if it was omitted.',
        resolve: ({ measured, unit }) => (measured == null ? null : measure(measured, unit)),
        // Measuring a long text takes milliseconds.
        extensions: { weight: 500 },
      }),
    }),
});

builder.queryField('textLimits', (t) =>
  t.field({
    type: [TextLimit],
    description:
      'Length limits of each network and, for a given text, its length in the same unit. `validatePost` warns about these limits. Makes no call to the service.',
    args: {
      text: t.arg.string({
        description: `Text to measure (at most ${MAX_TEXT / 1_000},000 characters).`,
      }),
    },
    resolve: (_root, { text }) => {
      if (text != null && text.length > MAX_TEXT)
        throw new InputError(`text must have at most ${MAX_TEXT} characters.`);
      return TEXT_LIMITS.map((limit) => ({ ...limit, measured: text }));
    },
  }),
);
