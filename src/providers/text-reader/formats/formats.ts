import type { OpenText, TextFile } from '../../../contracts/text-reader.ts';

/** The formats that text is read from: their media types, and what opens them. Loaded when first used. */
export const formats = {
  Pdf: {
    mediaTypes: ['application/pdf'],
    open: async (file: TextFile) => (await import('./pdf.ts')).openPdf(file),
  },
  Word: {
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    open: async (file: TextFile) => (await import('./word.ts')).openWord(file),
  },
  Spreadsheet: {
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    open: async (file: TextFile) => (await import('./spreadsheet.ts')).openSpreadsheet(file),
  },
  Presentation: {
    mediaTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    open: async (file: TextFile) => (await import('./presentation.ts')).openPresentation(file),
  },
  OldOffice: {
    mediaTypes: [
      'application/x-cfb',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
    ],
    open: async (file: TextFile) => (await import('./old-office.ts')).openOldOffice(file),
  },
  Html: {
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    open: async (file: TextFile) => (await import('./html.ts')).openHtml(file),
  },
  Rtf: {
    mediaTypes: ['application/rtf', 'text/rtf'],
    open: async (file: TextFile) => (await import('./rtf.ts')).openRtf(file),
  },
  Mail: {
    mediaTypes: ['message/rfc822'],
    open: async (file: TextFile) => (await import('./mail.ts')).openMail(file),
  },
  Plain: {
    mediaTypes: ['text/plain', 'text/csv', 'text/markdown', 'text/xml', 'application/xml', 'application/json'],
    open: async (file: TextFile) => (await import('./plain.ts')).openPlain(file),
  },
  Image: {
    mediaTypes: ['image/png', 'image/jpeg', 'image/tiff', 'image/webp', 'image/bmp', 'image/gif'],
    open: async (file: TextFile) => (await import('./image.ts')).openImage(file),
  },
} as const satisfies Record<string, TextFormat>;

/** A format of files. */
export interface TextFormat {
  readonly mediaTypes: readonly string[];
  readonly open: (file: TextFile) => Promise<OpenText>;
}

/** The name of a format. */
export type FormatName = keyof typeof formats;
