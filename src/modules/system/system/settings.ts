import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const diskWarningPercent = defineSetting(
  'DiskWarningPercent',
  f.integer({ doc: 'Percentage of used space from which the health report warns of a disk of stored files.' }),
  85,
  { range: [1, 100] },
);
export const diskFailedPercent = defineSetting(
  'DiskFailedPercent',
  f.integer({ doc: 'Percentage of used space from which the health report fails a disk of stored files.' }),
  95,
  { range: [1, 100] },
);

export const certificateWarningDays = defineSetting(
  'CertificateWarningDays',
  f.integer({
    doc: 'How many days before the certificate of another server expires the health report warns of it.',
  }),
  21,
  { range: [0, 3_650] },
);

export const publicAddressCheck = defineSetting(
  'PublicAddressCheck',
  f.boolean({
    doc:
      'Whether the platform connects to PublicAddress to check that it leads to this installation. Turn it off if ' +
      'the server cannot connect to its own public address, although people can.',
  }),
  true,
);

export const settings = [diskWarningPercent, diskFailedPercent, certificateWarningDays, publicAddressCheck] as const;
