/** The modules whose records the health report reads. */
export const uses = [
  'maildelivery',
  'mailinbound',
  'payment',
  'paymentdifference',
  'paymentprovider',
  'paymentreconciliation',
  'paymentrefund',
  'paymentsubscription',
] as const;
