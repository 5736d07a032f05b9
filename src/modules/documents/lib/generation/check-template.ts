import type { FileContent } from '../../../../contracts/file-content.ts';
import { GENERATOR, type TemplateProblem } from '../../../../contracts/generator.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { dataShape } from './data-shape.ts';
import { generatorOf, type DocumentType } from './document-type.ts';

/** Most problems that an error message names; its details have all. */
const NAMED_PROBLEMS_MAX = 5;

/** Returns what is wrong with a template of a document type, in the order of the template. */
export async function templateProblems(
  ctx: Context,
  type: DocumentType,
  file: FileContent,
): Promise<readonly TemplateProblem[]> {
  const generator = generatorOf(ctx, type);
  if (generator.templates.length > 0 && !generator.templates.includes(file.mime))
    return [
      {
        text: `${type.generator} takes no ${file.mime} as a template; expected ${generator.templates.join(' or ')}.`,
      },
    ];
  return (await generator.check?.(file, await dataShape(ctx, type))) ?? [];
}

/**
 * Checks a file that becomes the template of a document type. Warnings are added to the answer. A type whose generator
 * takes no template may have any documents.
 *
 * @throws BAD_TEMPLATE naming the first problems; all of them are in its details
 */
export async function assertTemplate(ctx: Context, type: DocumentType, file: FileContent): Promise<void> {
  if (type.generator === null || !ctx.providers.names(GENERATOR).includes(type.generator)) return;
  if (generatorOf(ctx, type).templates.length === 0) return;
  const found = await templateProblems(ctx, type, file);
  const errors = found.filter(({ warning }) => warning !== true);
  if (errors.length > 0) throw badTemplate(errors);
  for (const problem of found) ctx.alert({ code: 'TEMPLATE', text: problemText(problem) });
}

function badTemplate(problems: readonly TemplateProblem[]): PlatformError {
  const named = problems.slice(0, NAMED_PROBLEMS_MAX).map(problemText).join(' ');
  const more = problems.length - NAMED_PROBLEMS_MAX;
  return new PlatformError('BAD_TEMPLATE', {
    message: `${named}${more > 0 ? ` There are ${more} more problems.` : ''}`,
    details: { problems: problems.map(problemText) },
  });
}

/** Returns a problem as a sentence with its place and the nearest names. */
function problemText({ text, place, similar = [] }: TemplateProblem): string {
  const where = place === undefined ? '' : `${place.slice(0, 1).toUpperCase()}${place.slice(1)}: `;
  const hint = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  return `${where}${text}${hint}`;
}
