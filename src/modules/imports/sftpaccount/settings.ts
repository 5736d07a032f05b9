import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const environment = defineSetting(
  'Environment',
  f.text({
    doc:
      'Environment of this installation, such as Production or UAT. sFTP accounts of other environments are ' +
      'refused.',
    max: 60,
  }),
  'Production',
);
export const sftpSessionsMax = defineSetting(
  'SftpSessionsMax',
  f.integer({ doc: 'Most signed-in connections to one sFTP server at a time.' }),
  200,
  { range: [1, 100_000] },
);
export const sftpSessionsPerAccountMax = defineSetting(
  'SftpSessionsPerAccountMax',
  f.integer({ doc: 'Most connections of one account to one sFTP server at a time.' }),
  10,
  { range: [1, 100_000] },
);
export const sftpHomeMegabytesMax = defineSetting(
  'SftpHomeMegabytesMax',
  f.integer({ doc: "Size of an account's home in megabytes." }),
  4096,
  { range: [1, 1_000_000_000] },
);
export const sftpFileMegabytesMax = defineSetting(
  'SftpFileMegabytesMax',
  f.integer({ doc: 'Largest file sent by sFTP, in megabytes.' }),
  2048,
  { range: [1, 1_000_000] },
);
export const sftpIdleMinutes = defineSetting(
  'SftpIdleMinutes',
  f.integer({ doc: 'Minutes without a request after which the sFTP server closes a connection.' }),
  15,
  { range: [1, 10_080] },
);
export const sftpQuietSeconds = defineSetting(
  'SftpQuietSeconds',
  f.integer({
    doc: 'Seconds that a file sent by sFTP must be complete and unchanged before it is imported.',
  }),
  5,
  { range: [0, 86_400] },
);

export const settings = [
  environment,
  sftpSessionsMax,
  sftpSessionsPerAccountMax,
  sftpHomeMegabytesMax,
  sftpFileMegabytesMax,
  sftpIdleMinutes,
  sftpQuietSeconds,
] as const;
