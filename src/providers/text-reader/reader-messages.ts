import type { PageImage, PageText } from '../../contracts/text-reader.ts';
import type { FormatName } from './formats/formats.ts';

/** Messages to a reading process, which handles one file at a time. Its bytes are sent in pieces after `open`. */
export type ReaderRequest =
  | { readonly kind: 'open'; readonly format: FormatName; readonly name: string; readonly size: number }
  | { readonly kind: 'bytes'; readonly piece: Uint8Array }
  | { readonly kind: 'pages'; readonly first: number; readonly count: number }
  | { readonly kind: 'picture'; readonly page: number }
  | { readonly kind: 'image'; readonly page: number; readonly width: number }
  | { readonly kind: 'close' };

/** Answers of a reading process, in the order of the requests; pieces of bytes have none. */
export type ReaderReply =
  | { readonly kind: 'opened'; readonly pageCount: number; readonly isPaged: boolean; readonly hasImages: boolean }
  | { readonly kind: 'pages'; readonly pages: readonly PageText[] }
  | { readonly kind: 'picture'; readonly picture: Uint8Array | undefined }
  | { readonly kind: 'image'; readonly image: PageImage | undefined }
  /** The file is closed. `memory`: bytes that the process holds. */
  | { readonly kind: 'closed'; readonly memory: number }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };
