import { SCORE_ENGINE } from '../contracts/score-engine.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import { openArchive } from '../lib/readers/workbook/archive.ts';
import { cellName, columnOf, numberText } from '../lib/readers/workbook/number-format.ts';
import { partEvents, readParts, relations, unescapeText } from '../lib/readers/workbook/parts.ts';
import { apiEngine } from '../providers/score-engine/api/api-engine.ts';
import { expressionEngine } from '../providers/score-engine/expression/expression-engine.ts';
import { matrixEngine } from '../providers/score-engine/matrix/matrix-engine.ts';
import { workbookEngine } from '../providers/score-engine/workbook/workbook-engine.ts';
import type { WorkbookReader } from '../providers/score-engine/workbook/workbook-reader.ts';

/** Workbooks that calculate are read in the same way as imported ones. */
const workbookReader: WorkbookReader = {
  open: openArchive,
  parts: readParts,
  relations,
  events: partEvents,
  numberText,
  unescaped: unescapeText,
  cellName,
  columnOf,
};

/** Registers the score engines, each by the name that templates use. */
export function registerScoreEngines(providers: ProviderRegistry): void {
  providers.register(SCORE_ENGINE, 'ApiEngine', apiEngine);
  providers.register(SCORE_ENGINE, 'ExpressionEngine', expressionEngine);
  providers.register(SCORE_ENGINE, 'MatrixEngine', matrixEngine);
  providers.register(SCORE_ENGINE, 'WorkbookEngine', workbookEngine(workbookReader));
}
