-- down: nothing; customers, methods and payments refer to their gateway without a key
alter table paymentcustomer drop constraint paymentcustomer_paymentproviderid_fkey;
alter table paymentmethod drop constraint paymentmethod_paymentproviderid_fkey;
alter table paymentsubscription drop constraint paymentsubscription_paymentproviderid_fkey;
alter table payment drop constraint payment_paymentproviderid_fkey;
alter table paymentdispute drop constraint paymentdispute_paymentproviderid_fkey;
alter table paymentevent drop constraint paymentevent_paymentproviderid_fkey;
alter table paymentdifference drop constraint paymentdifference_paymentproviderid_fkey;
