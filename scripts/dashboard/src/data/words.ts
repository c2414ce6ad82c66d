// The words of the harness, which it writes: the site has none of its own for what stands in a record.
import file from '../../../harness/docs/published/words.json';
import type { Words } from './generated/published';

export const words = file as Words;
