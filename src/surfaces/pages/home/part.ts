import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Markup } from '../../../kernel/render/markup.ts';
import { failedPart } from '../design/empty.ts';
import type { PageCall } from '../page-call.ts';

/** What a part of a page needs, or what is shown in its place because it could not be read. */
export type LoadedPart<T> = { readonly data: T } | { readonly failure: Markup };

/**
 * Loads a part of a page. If that fails, logs why: the other parts stay. `what`: its name at the beginning of a
 * sentence, such as "The team's output".
 */
export async function loadPart<T>(call: PageCall, what: string, load: () => Promise<T>): Promise<LoadedPart<T>> {
  try {
    return { data: await load() };
  } catch (error) {
    const { correlationId } = call;
    if (!(error instanceof PlatformError) || error.status >= 500)
      call.platform.log.error('part of a page', { correlationId, part: what, error: String(error) });
    return { failure: failedPart(what, '') };
  }
}

/** Renders a part of a page, or what is shown in its place because it could not be read. */
export async function partOrFailure(
  call: PageCall,
  what: string,
  render: () => Promise<Markup | false>,
): Promise<Markup | false> {
  const part = await loadPart(call, what, render);
  return 'data' in part ? part.data : part.failure;
}
