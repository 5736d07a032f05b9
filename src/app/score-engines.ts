import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import { openArchive } from '../lib/readers/workbook/archive.ts';
import { cellName, columnOf, numberText } from '../lib/readers/workbook/number-format.ts';
import { partEvents, readParts, relations, unescapeText } from '../lib/readers/workbook/parts.ts';
import { apiEngine } from '../providers/score-engine/api/api-engine.ts';
import { expressionEngine } from '../providers/score-engine/expression/expression-engine.ts';
import { matrixEngine } from '../providers/score-engine/matrix/matrix-engine.ts';
import { workbookEngine } from '../providers/score-engine/workbook/workbook-engine.ts';
import type { WorkbookReader } from '../providers/score-engine/workbook/workbook-reader.ts';

/** Workbooks that calculate are read as those that are imported. */
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

/** The score engine configuration: the engines by which templates calculate, each by the name that a template says. */
export function registerScoreEngines(providers: ProviderRegistry): void {
  providers.register('score-engine', 'ApiEngine', apiEngine);
  providers.register('score-engine', 'ExpressionEngine', expressionEngine);
  providers.register('score-engine', 'MatrixEngine', matrixEngine);
  providers.register('score-engine', 'WorkbookEngine', workbookEngine(workbookReader));
}
