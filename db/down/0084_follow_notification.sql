-- down: the records of Follow, Notification
drop view if exists report.notification;
drop table notification;
drop view if exists report.follow;
drop table follow;
drop table notificationposition;
drop function if exists casewright_history_of_notification_added();
