from django.contrib import admin


class ReadOnlyAdmin(admin.ModelAdmin):
    """Records that staff may look at; their owners write and delete them through the app and the API."""

    list_select_related = ["account"]
    search_fields = ["account__email"]
    show_full_result_count = False

    def has_add_permission(self, request, obj=None):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
