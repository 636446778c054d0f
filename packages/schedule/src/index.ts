export { Graph, GraphFailure, type Execute, type GraphResult } from './graph.ts';
export {
  isWhollySent,
  linesOfReport,
  linesOfSummary,
  listed,
  nothingToSend,
  Progress,
  reportOf,
  sentIn,
  summaryOf,
  verdictOn,
  type ScheduleSummary,
} from './output.ts';
export {
  calendarOfQueue,
  csvOfQueue,
  readQueue,
  tableOfQueue,
  type QueueListing,
  type QueueRow,
} from './queue.ts';
export { ResultsFile, UnusableFile } from './results.ts';
export { openRows, prepare, UnsafeServer, type Plan } from './schedule.ts';
export { sendRows } from './send.ts';
