import type { ParameterFields } from '../kernel/declare/field-types.ts';
import type { Shape, TreeNode } from '../kernel/door/answer.ts';
import { contract } from '../kernel/ports/providers.ts';
import type { FileContent } from './file-content.ts';
import type { OptionValues } from './provider-options.ts';

/** A result table: what a search, a list or a report returns. */
export interface DataTable {
  /** Such as `Form`; workbooks name a sheet after it. */
  readonly name: string;
  /** Its columns in order, each with its type and label. */
  readonly columns: Shape;
  /** Streams its rows in order, each time from the first; values in the platform's form, by name of column. */
  rows(): AsyncIterable<Readonly<Record<string, unknown>>>;
}

/**
 * The fields that data may have. `links` are single records, `lists` collections, both by name as declared. A shape may
 * contain itself.
 */
export interface DataShape {
  readonly fields: Shape;
  readonly links: ReadonlyMap<string, () => DataShape>;
  readonly lists: ReadonlyMap<string, () => DataShape>;
}

/**
 * What a generator reads, and with it what its source has: the `tree` of a record's summary or an operation's answer,
 * with fields, linked records and collections; the same as `tables`, at least one, streamed; or `documents`.
 */
export type DocumentData =
  | {
      readonly kind: 'tree';
      readonly tree: TreeNode;
      /**
       * Returns a document whose ID the data contain, for pictures in the text, as the caller could download it.
       * @throws NOT_FOUND; STATE_REFUSES for one that is stored encrypted
       */
      readonly document: (id: number) => Promise<FileContent>;
    }
  | { readonly kind: 'tables'; readonly tables: readonly DataTable[] }
  | {
      readonly kind: 'documents';
      /** The documents that the caller names, in that order, each within the caller's reach. At least one. */
      readonly documents: readonly FileContent[];
    };

/** What is wrong with a template. */
export interface TemplateProblem {
  /** One sentence for the author, naming what was found and what was expected. */
  readonly text: string;
  /** The tag as written, such as `{Borower.LastName}`. */
  readonly tag?: string;
  /** Where it is, as the author finds it: `header 1, paragraph 3`, `line 12`, `sheet Letters, cell B4`. */
  readonly place?: string;
  /** Existing names, the most similar first, at most three. */
  readonly similar?: readonly string[];
  /** A warning does not keep the template from being used. */
  readonly warning?: true;
}

/** A template and its data. */
export interface GeneratorSource<O extends ParameterFields = ParameterFields> {
  /** The template's file; undefined if there is none. */
  readonly template: FileContent | undefined;
  /** The document type's values of the generator's options. */
  readonly options: OptionValues<O>;
  readonly data: DocumentData;
  /** BCP 47, such as `en-US`: dates, numbers and money are formatted for it. */
  readonly locale: string;
  /** IANA name of the zone in which points in time are shown. */
  readonly timeZone: string;
  /** The time of generation, in ISO 8601. */
  readonly now: string;
  /** Ends the work; the generator throws its reason. */
  readonly signal: AbortSignal;
}

/** A generated file. Its bytes are created while they are read; read them once. */
export interface GeneratedFile {
  readonly mime: string;
  /** Without a point: `docx`. */
  readonly extension: string;
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * Generates documents of one kind from data (the specification's IGenerator). Registered by name under
 * {@link GENERATOR}; a document type names its generator in AttachmentService. It keeps no state between calls except
 * caches by content, writes nothing, and never follows a reference out of the template or the data.
 *
 * @example
 * const made = await ctx.providers.get(GENERATOR, 'MailMergeGenerator').generate(source);
 */
export interface Generator<O extends ParameterFields = ParameterFields> {
  /** One line for people who choose a generator. */
  readonly doc: string;
  /** Its options, declared like parameters; a document type has their values in its column Options. */
  readonly options: O;
  readonly reads: DocumentData['kind'];
  /** Media types that its template may have; empty if it takes none. */
  readonly templates: readonly string[];
  /** Whether it cannot work without a template. */
  readonly needsTemplate: boolean;
  /**
   * Checks a template without data, as when its file is saved. Returns everything that is wrong with it, in the order
   * of the template. `shape`: the fields that its data will have; undefined if they are not known. Generators without
   * template omit it.
   * @throws BAD_TEMPLATE for a file that it cannot read
   */
  check?(template: FileContent, shape: DataShape | undefined): Promise<readonly TemplateProblem[]>;
  /**
   * Generates.
   * @throws BAD_TEMPLATE naming tag and place; BAD_PARAMETER for documents that it cannot combine; TOO_LARGE
   */
  generate(source: GeneratorSource<O>): Promise<GeneratedFile>;
}

/** Generators by name. */
export const GENERATOR = contract<Generator>('generator');
