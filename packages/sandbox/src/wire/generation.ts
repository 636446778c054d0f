import type { Generation, Owner } from '../data/model.ts';
import type { Quirks } from '../quirks.ts';
import { historyTime, isoTime } from './dates.ts';

/** AI history record of GET /openai/historyList; its time has minutes and no zone. */
export function historyRecord(generation: Generation, owner: Owner, quirks: Quirks) {
  const createdOn = historyTime(generation.createdAt, quirks.utcOffsetMinutes);
  return { ...commonFields(generation, owner), createdOn };
}

/** `response` of POST /openai/response for a finished generation. */
export function generationResult(generation: Generation, owner: Owner, timeConsuming: boolean) {
  return {
    ...commonFields(generation, owner),
    timeConsuming,
    createdOn: isoTime(generation.createdAt),
    totalCredit: owner.creditsRemaining,
  };
}

/** The same while the text is pending. */
export function pendingResult(generation: Generation, owner: Owner) {
  const result = generationResult(generation, owner, true);
  const aiToken = { ...result.aiToken, outputToken: 0, totalToken: result.aiToken.inputToken };
  return { ...result, aiResponse: '', aiToken };
}

function commonFields(generation: Generation, owner: Owner) {
  const { tokens } = generation;
  return {
    contentId: generation.contentId,
    userInput: generation.userInput,
    aiResponse: generation.aiResponse,
    tone: generation.tone,
    ownerId: owner.ownerId,
    companyId: owner.companyId,
    aiToken: {
      inputToken: tokens.input,
      outputToken: tokens.output,
      totalToken: tokens.input + tokens.output,
    },
    generatedFrom: generation.generatedFrom,
    templateUsed: generation.templateUsed,
  };
}
