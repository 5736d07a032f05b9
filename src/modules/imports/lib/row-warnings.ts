import { RULE_WARNING } from '../../../kernel/ports/business-rules.ts';
import { MASKED_NUMBER } from '../../../kernel/records/save/masked-number.ts';

/** Codes of the warnings that are reported with the row or record that they are about. */
export const ROW_WARNINGS = [RULE_WARNING, MASKED_NUMBER] as const;
