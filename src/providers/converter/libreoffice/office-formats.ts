/** A format of office documents. */
export interface OfficeFormat {
  readonly extension: string;
  /** The filter by which LibreOffice reads it: it must not guess another one. */
  readonly filter: string;
  /** Which of its programs reads it. */
  readonly family: 'writer' | 'calc' | 'impress';
}

/** A format that documents are converted to. */
export interface TargetFormat {
  readonly extension: string;
  /** The filters by which each of the programs writes it, as its command line takes them. */
  readonly filters: Partial<Readonly<Record<OfficeFormat['family'], string>>>;
}

const OOXML = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

const word: OfficeFormat = { extension: 'docx', filter: 'MS Word 2007 XML', family: 'writer' };
const workbook: OfficeFormat = { extension: 'xlsx', filter: 'Calc MS Excel 2007 XML', family: 'calc' };
const slides: OfficeFormat = { extension: 'pptx', filter: 'Impress MS PowerPoint 2007 XML', family: 'impress' };
const rtf: OfficeFormat = { extension: 'rtf', filter: 'Rich Text Format', family: 'writer' };

/** Formats that are read, by media type. */
export const officeFormats: Readonly<Record<string, OfficeFormat>> = {
  [`${OOXML}.wordprocessingml.document`]: word,
  [`${OOXML}.wordprocessingml.template`]: word,
  'application/vnd.ms-word.document.macroenabled.12': word,
  [`${OOXML}.spreadsheetml.sheet`]: workbook,
  [`${OOXML}.spreadsheetml.template`]: workbook,
  'application/vnd.ms-excel.sheet.macroenabled.12': workbook,
  [`${OOXML}.presentationml.presentation`]: slides,
  [`${OOXML}.presentationml.slideshow`]: slides,
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': slides,
  'application/msword': { extension: 'doc', filter: 'MS Word 97', family: 'writer' },
  'application/vnd.ms-excel': { extension: 'xls', filter: 'MS Excel 97', family: 'calc' },
  'application/vnd.ms-powerpoint': { extension: 'ppt', filter: 'MS PowerPoint 97', family: 'impress' },
  [`${ODF}.text`]: { extension: 'odt', filter: 'writer8', family: 'writer' },
  [`${ODF}.spreadsheet`]: { extension: 'ods', filter: 'calc8', family: 'calc' },
  [`${ODF}.presentation`]: { extension: 'odp', filter: 'impress8', family: 'impress' },
  'application/rtf': rtf,
  'text/rtf': rtf,
};

/** Formats that are written, by media type. */
export const targetFormats: Readonly<Record<string, TargetFormat>> = {
  'application/pdf': {
    extension: 'pdf',
    filters: {
      writer: 'pdf:writer_pdf_Export',
      calc: 'pdf:calc_pdf_Export',
      impress: 'pdf:impress_pdf_Export',
    },
  },
  // Images become part of the file.
  'text/html': { extension: 'html', filters: { writer: 'html:HTML (StarWriter):EmbedImages' } },
  'text/plain': { extension: 'txt', filters: { writer: 'txt:Text (encoded):UTF8' } },
};
