import { isLibreOfficeProgram } from '../../../lib/libreoffice/libreoffice-program.ts';
import { isChromiumProgram } from '../../../lib/chromium/chromium-process.ts';
import { parseScannerAddress, SCANNER_ADDRESS_EXPECTED } from '../../../lib/malware-scanner/scanner-address.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

const localeFormat = {
  expected: 'a language and region such as en-US',
  fits: (text: string) => {
    try {
      return Intl.DateTimeFormat.supportedLocalesOf(text).length > 0;
    } catch {
      return false;
    }
  },
};

export const uploadMegabytesMax = defineSetting(
  'UploadMegabytesMax',
  f.integer({
    doc: 'The largest file that can be uploaded in chunks, in megabytes.',
  }),
  2_047,
  { range: [0, 2047] },
);
export const uploadsOpenMax = defineSetting(
  'UploadsOpenMax',
  f.integer({ doc: 'How many unfinished uploads one user may have.' }),
  100,
  { range: [0, 1_000_000] },
);
export const uploadHours = defineSetting(
  'UploadHours',
  f.integer({
    doc: 'How many hours after its last chunk an upload is removed. An unfinished one is then lost.',
  }),
  24,
  { range: [0, 8760] },
);

export const unzipFilesMax = defineSetting(
  'UnzipFilesMax',
  f.integer({ doc: 'How many files a zip archive may have that is unpacked to documents.' }),
  1_000,
  { range: [1, 10_000] },
);
export const unzipMegabytesMax = defineSetting(
  'UnzipMegabytesMax',
  f.integer({ doc: 'How large the files of a zip archive may be together, unpacked to documents, in megabytes.' }),
  2_047,
  { range: [1, 2047] },
);

export const documentLocale = defineSetting(
  'DocumentLocale',
  f.text({
    doc: 'The language and region in which generated documents show dates, numbers and money, such as en-US.',
    max: 35,
  }),
  'en-US',
  { format: localeFormat },
);
export const generateSeconds = defineSetting(
  'GenerateSeconds',
  f.integer({ doc: 'How many seconds the generation of one document may take.' }),
  120,
  { range: [1, 3600] },
);

export const attachmentTextOnSave = defineSetting(
  'AttachmentTextOnSave',
  f.boolean({ doc: 'Whether the text of new documents is read in the background, so that searches find it.' }),
  true,
);
export const textFileMegabytesMax = defineSetting(
  'TextFileMegabytesMax',
  f.integer({ doc: 'The largest file whose text is read, in megabytes. It is held in memory as a whole.' }),
  200,
  { range: [1, 1024] },
);
export const textPagesMax = defineSetting(
  'TextPagesMax',
  f.integer({ doc: 'How many pages of a document are read; those beyond are not searched.' }),
  10_000,
  { range: [1, 100_000] },
);
export const ocrCommand = defineSetting(
  'OcrCommand',
  f.text({
    doc:
      'The program that recognizes text in pictures: Tesseract, or one that takes the same arguments. A name or a ' +
      'path whose last part begins with `tesseract`, so that no setting can start any other program.',
    max: 200,
  }),
  'tesseract',
  { format: { expected: 'a program whose name begins with tesseract, without arguments', fits: isOcrProgram } },
);
export const ocrLanguages = defineSetting(
  'OcrLanguages',
  f.text({
    doc: 'The languages of recognized text as Tesseract names them, joined by `+`, such as `eng+spa`.',
    max: 100,
  }),
  'eng',
  {
    format: {
      expected: 'names of languages such as eng, joined by +',
      fits: (text) => /^[A-Za-z][A-Za-z0-9_]*(\+[A-Za-z][A-Za-z0-9_]*)*$/.test(text),
    },
  },
);
export const ocrPageSeconds = defineSetting(
  'OcrPageSeconds',
  f.integer({ doc: 'How long recognizing one page may take, in seconds; a page that takes longer has no text.' }),
  60,
  { range: [1, 600] },
);

export const chromiumCommand = defineSetting(
  'ChromiumCommand',
  f.text({
    doc:
      'The program that prints PDF files: a name or path whose last part begins with `chromium` or `chrome`, so that ' +
      'no setting can start any other program. Empty: the installed chromium-headless-shell, chromium or ' +
      'google-chrome.',
    max: 200,
  }),
  '',
  {
    format: {
      expected: 'a program whose name begins with chromium, chrome or google-chrome, without arguments',
      fits: (text) => text === '' || isChromiumProgram(text),
    },
  },
);

export const libreOfficeCommand = defineSetting(
  'LibreOfficeCommand',
  f.text({
    doc:
      'The program that converts office documents: a name or path whose last part begins with `soffice` or ' +
      '`libreoffice`, so that no setting can start any other program. Empty: the installed LibreOffice.',
    max: 200,
  }),
  '',
  {
    format: {
      expected: 'a program whose name begins with soffice or libreoffice, without arguments',
      fits: (text) => text === '' || isLibreOfficeProgram(text),
    },
  },
);
export const convertSeconds = defineSetting(
  'ConvertSeconds',
  f.integer({ doc: 'How many seconds the conversion of one document may take.' }),
  120,
  { range: [1, 3600] },
);
export const convertMegabytesMax = defineSetting(
  'ConvertMegabytesMax',
  f.integer({ doc: 'The largest file that is converted, in megabytes. It is held in memory as a whole.' }),
  100,
  { range: [1, 1024] },
);
export const convertMemoryMegabytes = defineSetting(
  'ConvertMemoryMegabytes',
  f.integer({ doc: 'How much memory the program that converts office documents may use, in megabytes.' }),
  2_000,
  { range: [500, 65_536] },
);
export const renditionDays = defineSetting(
  'RenditionDays',
  f.integer({
    doc:
      'Days after its last use after which the result of a conversion is removed. Until then the same content is ' +
      'not converted again.',
  }),
  30,
  { range: [1, 3650] },
);

export const malwareScanner = defineSetting(
  'MalwareScanner',
  f.text({
    doc:
      'Where clamd of ClamAV listens, which scans files for malware: `host:port` or the path of its Unix socket. ' +
      'Files are then served only once they are found clean. Empty: files are not scanned.',
    max: 300,
  }),
  '',
  { format: { expected: SCANNER_ADDRESS_EXPECTED, fits: (text) => parseScannerAddress(text) !== undefined } },
);
export const malwareScanSeconds = defineSetting(
  'MalwareScanSeconds',
  f.integer({ doc: 'How many seconds the scan of one file may take.' }),
  120,
  { range: [1, 3600] },
);
export const malwareScanMegabytesMax = defineSetting(
  'MalwareScanMegabytesMax',
  f.integer({
    doc:
      'The largest file that is scanned, in megabytes: not more than StreamMaxLength of clamd. Larger ones are not ' +
      'served until an administrator releases them.',
  }),
  100,
  { range: [1, 2047] },
);

export const settings = [
  documentLocale,
  generateSeconds,
  uploadMegabytesMax,
  uploadsOpenMax,
  uploadHours,
  attachmentTextOnSave,
  textFileMegabytesMax,
  textPagesMax,
  chromiumCommand,
  ocrCommand,
  ocrLanguages,
  ocrPageSeconds,
  libreOfficeCommand,
  convertSeconds,
  convertMegabytesMax,
  convertMemoryMegabytes,
  renditionDays,
  malwareScanner,
  malwareScanSeconds,
  malwareScanMegabytesMax,
  unzipFilesMax,
  unzipMegabytesMax,
] as const;

function isOcrProgram(text: string): boolean {
  return /^(?:\/(?:[\w.-]+\/)*)?tesseract[\w.-]*$/.test(text) && !text.includes('..');
}
