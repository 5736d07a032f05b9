/** Something to try in the demo. */
export interface Trial {
  readonly text: string;
  readonly more: string;
  readonly href: string;
}

/**
 * What to try in the demo; docs/guides/operators/demo.md has the same. Cases are of the sample referrals, which have
 * the same numbers in every demo.
 */
export const trials: readonly Trial[] = [
  {
    text: 'Take your next item',
    more: 'Sign in as dana.okafor. Answer the questions of the task and complete it: the next one is there.',
    href: '/work',
  },
  {
    text: 'Find a borrower whose name you misspell',
    more: 'Press Ctrl K and type Delgdao. Press Enter to open the case.',
    href: '/search?Text=Delgdao',
  },
  {
    text: 'Read what happened on a case',
    more:
      'Open NGL-24-00011: every note, document and change has its day. Then sign in as rosalind.pellerin and see ' +
      'what the firm sees.',
    href: '/search?Text=NGL-24-00011',
  },
  {
    text: 'Generate a letter, and follow one in the mail',
    more:
      'On NGL-24-00005, open Documents, choose Generate and Reinstatement letter. On the documents of NGL-24-00004 ' +
      'is a letter that came back.',
    href: '/search?Text=NGL-24-00005',
  },
  {
    text: 'Correct rows of an import that failed',
    more: 'Some of last night’s balances were not numbers.',
    href: '/imports',
  },
];
