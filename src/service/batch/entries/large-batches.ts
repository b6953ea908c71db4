/** Bounds how many large batches a process reads and stores at once, whether they come by the API or the dashboard. */
import { createSlots } from '../../core/slots.ts';

/** Each takes up to 80 MB, for hashes of its addresses and of their domains. */
export const largeBatches = createSlots({ atOnce: 4, ofOne: 2 });
