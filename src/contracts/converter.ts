import { PlatformError } from '../kernel/door/errors.ts';
import { contract, type Providers } from '../kernel/ports/providers.ts';
import type { FileContent } from './file-content.ts';

/** Whether a converter can work on this server. */
export type ConverterState =
  | {
      readonly ready: true;
      /** The path of its program, if it needs one. */
      readonly program?: string;
    }
  | {
      readonly ready: false;
      /** What is missing and what to do, naming the setting, in sentences. */
      readonly missing: string;
    };

/** A converted file, complete and checked. */
export interface ConvertedFile {
  readonly mime: string;
  /** Without a point: `pdf`. */
  readonly extension: string;
  readonly bytes: Uint8Array;
}

/** Limits of one conversion. */
export interface ConvertOptions {
  /** Ends the work, all processes that it started included; the converter throws its reason. */
  readonly signal: AbortSignal;
}

/**
 * Converts documents from some formats to others. Registered by name under {@link CONVERTER}; the first registered one
 * that is ready and knows both formats is used. What a document refers to is never fetched, and what it contains is
 * never run: no macro, script, external link or remote image.
 *
 * @example
 * const pdf = await convertFile(ctx.providers, letter, 'application/pdf', { signal });
 */
export interface Converter {
  /** One line for operators. */
  readonly doc: string;
  /** The media types that it reads, each with those that it makes of it. */
  readonly formats: Readonly<Record<string, readonly string[]>>;
  /** Whether its program is installed. Called for each conversion, so expensive results should be cached. */
  state(): ConverterState;
  /**
   * Converts one file, whose media type was detected from its content. The result has at least one page if its format
   * has pages.
   * @throws UNREADABLE_DOCUMENT for a damaged or encrypted file, with a sentence that says which;
   * CONVERTER_UNAVAILABLE if its program is missing after all; TOO_LARGE; the signal's reason
   */
  convert(file: FileContent, to: string, options: ConvertOptions): Promise<ConvertedFile>;
}

/** Converters by name, in the order in which they are tried. */
export const CONVERTER = contract<Converter>('converter');

/** Whether a converter supports both formats, ready or not. */
export function hasConverter(providers: Providers, mime: string, to: string): boolean {
  return convertersFor(providers, mime, to).length > 0;
}

/**
 * Converts a file by the first converter that is ready.
 * @throws UNREADABLE_DOCUMENT for files that no converter reads; CONVERTER_UNAVAILABLE if those that do are not ready;
 * what {@link Converter.convert} throws
 */
export async function convertFile(
  providers: Providers,
  file: FileContent,
  to: string,
  options: ConvertOptions,
): Promise<ConvertedFile> {
  let missing: string | undefined;
  for (const converter of convertersFor(providers, file.mime, to)) {
    const state = converter.state();
    if (state.ready) return converter.convert(file, to, options);
    missing ??= state.missing;
  }
  if (missing !== undefined) throw new PlatformError('CONVERTER_UNAVAILABLE', { message: missing });
  throw new PlatformError('UNREADABLE_DOCUMENT', {
    message: `"${file.fileName}" is ${file.mime}; files of this type cannot be converted to ${to}.`,
  });
}

function convertersFor(providers: Providers, mime: string, to: string): readonly Converter[] {
  return providers
    .names(CONVERTER)
    .map((name) => providers.get(CONVERTER, name))
    .filter(({ formats }) => formats[mime]?.includes(to) === true);
}
